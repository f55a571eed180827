// The language of statements.lark, for grammarinator.
grammar statements;

start: statement+;

statement
    : ID '=' expression ';'
    | 'if' '(' expression ')' block ('else' block)?
    | 'while' '(' expression ')' block
    | 'print' '(' (expression (',' expression)*)? ')' ';'
    | 'return' expression ';'
    ;

block: '{' statement* '}';

expression
    : expression ('+' | '-' | '*' | '<' | '==' | 'and') expression
    | '-' expression
    | 'not' expression
    | '(' expression ')'
    | ID '(' (expression (',' expression)*)? ')'
    | '[' (expression (',' expression)*)? ']'
    | ID
    | INTEGER
    ;

ID: [abc];
INTEGER: [0-9];

SPACE: [ \n]+ -> skip;
