"""The selector language: its tree, its dialects, lexer, grammar, static checks and printer."""
