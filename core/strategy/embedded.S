    .global fwBook_strategy
    .global fwBookEnd_strategy
    .section .rodata
fwBook_strategy:
    .incbin "resources/library/strategy.fw"
fwBookEnd_strategy:
    .byte 0
    .section .note.GNU-stack,"",@progbits
