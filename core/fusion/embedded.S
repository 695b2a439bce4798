    .global fwBook_fusion
    .global fwBookEnd_fusion
    .section .rodata
fwBook_fusion:
    .incbin "resources/library/fusion.fw"
fwBookEnd_fusion:
    .byte 0
    .section .note.GNU-stack,"",@progbits
