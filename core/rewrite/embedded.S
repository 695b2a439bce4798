    .section .rodata
    .global fwSimplifyBook
    .global fwSimplifyBookEnd
fwSimplifyBook:
    .incbin "resources/library/simplify.fw"
fwSimplifyBookEnd:
    .byte 0
    .section .note.GNU-stack,"",@progbits
