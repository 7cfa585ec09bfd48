// SPDX-License-Identifier: MIT
/* Looks like a Go program by its build ID note. */
__asm__(".pushsection .note.go.buildid,\"a\",%note\n"
	".long 4, 8, 4\n"
	".asciz \"Go\\0\"\n"
	".ascii \"build-id\"\n"
	".popsection\n");

int main(void)
{
	return 0;
}
