    .macro book name, file
    .global fwBook_\name
    .global fwBookEnd_\name
fwBook_\name:
    .incbin "resources/library/\file"
fwBookEnd_\name:
    .byte 0
    .endm

    .section .rodata
    book elementwise, elementwise.fw
    book contraction, contraction.fw
    book window, window.fw
    book normalization, normalization.fw
    book movement, movement.fw
    book selection, selection.fw
    book resample, resample.fw
    book quantization, quantization.fw
    book integers, integers.fw
    book losses, losses.fw
    book reductions, reductions.fw
    book signal, signal.fw
    book sizes, sizes.fw
    .section .note.GNU-stack,"",@progbits
