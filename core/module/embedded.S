// Files that `export` needs, embedded: the runtime archive, the public header, the example program.
.macro embed name, file
    .global fw_embedded_\name\()_begin
    .global fw_embedded_\name\()_end
    .balign 16
fw_embedded_\name\()_begin:
    .incbin "\file"
fw_embedded_\name\()_end:
    .byte 0
.endm

.section .rodata
embed archive, FW_ARCHIVE
embed header, FW_HEADER
embed example, FW_EXAMPLE
.section .note.GNU-stack, "", @progbits
