// SPDX-License-Identifier: MIT
/* io_uring(7) on sockets of the C library, which cannot see it. */
#include <linux/io_uring.h>
#include <sys/mman.h>

#include "twin.h"

/* Since Linux 6.1: answers wait until they are read. */
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

/* Since Linux 6.7, for IORING_OP_URING_CMD of sockets. */
enum { CMD_SIOCINQ, CMD_SIOCOUTQ, CMD_GETSOCKOPT, CMD_SETSOCKOPT };

static struct {
	int fd;
	struct io_uring_params params;
	struct io_uring_sqe *entries;
	char *ring;
	unsigned int completed;
} uring;

static unsigned int *field(unsigned int offset)
{
	return (unsigned int *)(uring.ring + offset);
}

static void *map(size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, uring.fd, what);
}

/* One mapping has both rings since Linux 5.4. @flags: IORING_SETUP_* */
static bool start_with(unsigned int flags)
{
	uring.params.flags = flags;
	uring.fd = (int)syscall(__NR_io_uring_setup, 8, &uring.params);
	if (uring.fd < 0) {
		say("setup=%s", result(-1));
		return false;
	}
	uring.ring = map(uring.params.cq_off.cqes + 64 * sizeof(struct io_uring_cqe),
			 IORING_OFF_SQ_RING);
	uring.entries = map(8 * sizeof(*uring.entries), IORING_OFF_SQES);
	return true;
}

static bool start(void)
{
	return start_with(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
}

static void submit(const struct io_uring_sqe *entry)
{
	unsigned int tail = *field(uring.params.sq_off.tail), i = tail & 7;

	uring.entries[i] = *entry;
	field(uring.params.sq_off.array)[i] = i;
	__atomic_store_n(field(uring.params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	syscall(__NR_io_uring_enter, uring.fd, 1, 0, 0, NULL, 0);
}

/* The next result, as of a system call. */
static int answer(void)
{
	const struct io_uring_cqe *all, *one;

	syscall(__NR_io_uring_enter, uring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	all = (const struct io_uring_cqe *)(uring.ring + uring.params.cq_off.cqes);
	one = &all[uring.completed & *field(uring.params.cq_off.ring_mask)];
	__atomic_store_n(field(uring.params.cq_off.head), ++uring.completed, __ATOMIC_RELEASE);
	if (one->res >= 0)
		return one->res;
	errno = -one->res;
	return -1;
}

static int perform(const struct io_uring_sqe *entry)
{
	submit(entry);
	return answer();
}

static struct io_uring_sqe transfer(int op, int fd, const void *data, unsigned int len)
{
	return (struct io_uring_sqe){
		.opcode = (__u8)op, .fd = fd, .addr = (uintptr_t)data, .len = len
	};
}

CASE(uring_data)
{
	struct pair p = make_pair();
	char data[8] = "";
	struct io_uring_sqe send = transfer(IORING_OP_SEND, p.c, "hello", 5);
	struct io_uring_sqe receive = transfer(IORING_OP_RECV, p.a, data, sizeof(data));

	if (!start())
		return;
	submit(&receive);
	submit(&send);
	SAY("one", answer());
	SAY("other", answer());
	say("%s", data);
	send.opcode = IORING_OP_SHUTDOWN;
	send.addr = 0;
	send.len = SHUT_WR;
	SAY("shutdown", perform(&send));
	SAY("end", perform(&receive));
}

CASE(uring_zero_copy)
{
	struct pair p = make_pair();
	struct io_uring_sqe send = transfer(IORING_OP_SEND_ZC, p.c, "hello", 5);
	char data[8];

	if (!start())
		return;
	SAY("zc", perform(&send));
	SAY("write", write(p.c, "world", 5));
	SAY("recv", recv(p.a, data, 5, MSG_WAITALL));
}

/* Accept three connections by one request. Return: the last one */
static struct pair accept_three(void)
{
	struct io_uring_sqe take = { .opcode = IORING_OP_ACCEPT,
				     .fd = listener(),
				     .ioprio = IORING_ACCEPT_MULTISHOT };
	struct pair p = { .l = take.fd };

	submit(&take);
	for (int i = 0; i < 3; i++) {
		p.c = fresh();
		connect_to(p.c, port_of(p.l));
		p.a = answer();
		say("accepted=%d", p.a >= 0);
		echo(&p);
	}
	return p;
}

CASE(uring_multishot)
{
	static char space[4][64];
	struct io_uring_sqe give = transfer(IORING_OP_PROVIDE_BUFFERS, 4, space, sizeof(space[0]));
	struct io_uring_sqe receive = { .opcode = IORING_OP_RECV,
					.ioprio = IORING_RECV_MULTISHOT,
					.flags = IOSQE_BUFFER_SELECT };
	struct pair p;

	if (!start())
		return;
	p = accept_three();
	receive.fd = p.a;
	SAY("give", perform(&give));
	submit(&receive);
	for (int i = 0; i < 2; i++) {
		SAY("write", write(p.c, "some", 4));
		SAY("read", answer());
	}
	SAY("shutdown", shutdown(p.c, SHUT_WR));
	SAY("end", answer());
}

/* An answer interrupts the thread while it connects. */
CASE(uring_interrupts)
{
	if (start_with(0))
		accept_three();
}

/* A request is waiting. */
CASE(uring_shut_listener)
{
	struct io_uring_sqe take = { .opcode = IORING_OP_ACCEPT, .fd = listener() };

	if (!start())
		return;
	submit(&take);
	SAY("shutdown", shutdown(take.fd, SHUT_RDWR));
	say("accepted=%d", answer() >= 0);
	SAY("again", perform(&take));
}

CASE(uring_connect)
{
	int port = refused_port();
	struct address to = loopback(port);
	struct io_uring_sqe connect = { .opcode = IORING_OP_CONNECT,
					.fd = fresh(),
					.addr = (uintptr_t)&to.any,
					.off = to.len };

	if (!start())
		return;
	SAY("refused", perform(&connect));
	SAY("listen", listen(refused_fd, 5));
	SAY("again", perform(&connect));
}

CASE(uring_commands)
{
	struct pair p = make_pair();
	struct io_uring_sqe command = { .opcode = IORING_OP_URING_CMD, .fd = p.c };
	int value = 0;

	if (!start())
		return;
	command.cmd_op = CMD_SIOCINQ;
	SAY("inq", perform(&command));
	command.cmd_op = CMD_SIOCOUTQ;
	SAY("outq", perform(&command));
	/* Level and option, then size and address of the value */
	command.cmd_op = CMD_GETSOCKOPT;
	memcpy(&command.addr, (uint32_t[]){ SOL_SOCKET, SO_TYPE }, sizeof(command.addr));
	command.file_index = sizeof(value);
	command.addr3 = (uintptr_t)&value;
	SAY("get", perform(&command));
	say("value=%d", value);
	command.cmd_op = CMD_SETSOCKOPT;
	memcpy(&command.addr, (uint32_t[]){ IPPROTO_TCP, TCP_NODELAY }, sizeof(command.addr));
	SAY("nodelay", perform(&command));
}
