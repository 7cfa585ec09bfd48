// SPDX-License-Identifier: MIT
/*
 * Every way to send and receive bytes, each on a connection of its own with known data.
 *
 *   ways both ADDRESS PORT WAY...      both ends here, in two processes
 *   ways serve ADDRESS PORT WAY...     the servers; says "ready" when all of them listen
 *   ways connect ADDRESS PORT WAY...   the clients, one after the other
 *
 * -h: waits before each connection for a line of standard input.
 *
 * "all" is every way. The port of a way is PORT plus its number in the list. The client sends, then
 * the server, each in its way; then both close. Byte I from the client of port P is pattern(2 * P,
 * I), from the server pattern(2 * P + 1, I). Each end of each connection prints a line of JSON:
 * way, side, port, sent, got, whole (all expected bytes arrived), or skipped and why; and exits
 * with 1 if something was wrong.
 */
#include <linux/io_uring.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "tests/libc.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif
#define SOME 150000	  /* bytes each way by default */
#define LARGEST (3 << 20) /* maximum size of a call */
#define BUFFER (64 << 10)
#define SEGMENTS 1000
#define LOWAT 20000
#define TURN 5000 /* turn of processes that share a socket */

/* One end of a connection. */
struct end {
	int fd;
	uint32_t out, in; /* seeds */
	uint64_t sent, got;
	bool wrong;
	unsigned int turn; /* of lengths */
};

struct way {
	const char *name;
	void (*send)(struct end *end, size_t size);
	void (*receive)(struct end *end, size_t size);
	size_t size;							   /* each way; 0: SOME */
	void (*talk)(struct end *end, bool client, const struct way *way); /* another order */
	const char *(*lacks)(void); /* NULL: supported by this kernel */
};

static bool waits_for_line;
static char *memory, *scratch; /* LARGEST bytes each */

/* ---- data ---- */

static unsigned char pattern(uint32_t seed, uint64_t at)
{
	uint64_t block = at >> 8;

	return (unsigned char)(131 * (at + 57 * seed + 17 * block + 29 * (block >> 8)));
}

static void fill(const struct end *end, char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		data[i] = (char)pattern(end->out, end->sent + i);
}

/* Compare with the next expected bytes. */
static void look(struct end *end, const char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		end->wrong |= (unsigned char)data[i] != pattern(end->in, end->got + i);
}

static void take(struct end *end, const char *data, size_t size)
{
	look(end, data, size);
	end->got += size;
}

/* Cycle through lengths of all kinds. */
static size_t next_length(struct end *end, size_t left)
{
	static const size_t lengths[] = { 1, 2, 3, 100, 1448, 4096, 4097, 10000, 65536, 7 };
	size_t length = lengths[end->turn++ % (sizeof(lengths) / sizeof(*lengths))];

	return length < left ? length : left;
}

static ssize_t must(ssize_t result, const char *call)
{
	if (result < 0)
		err(1, "%s", call);
	return result;
}

/* Pages that were not touched yet. */
static char *get_pages(size_t size)
{
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		err(1, "mmap");
	return pages;
}

/* ---- the common calls ---- */

/* Send everything in pieces of all lengths; @call sends @length bytes of memory, of @size left. */
#define OUT(name, call)                                                                            \
	static void out_##name(struct end *end, size_t size)                                       \
	{                                                                                          \
		for (size_t length; size; size -= length) {                                        \
			length = next_length(end, size);                                           \
			fill(end, memory, length);                                                 \
			length = (size_t)must(call, #name);                                        \
			end->sent += length;                                                       \
		}                                                                                  \
	}

OUT(write, write(end->fd, memory, length))
OUT(send, (must(send(end->fd, memory, 0, 0), "send of nothing"),
	   send(end->fd, memory, length, MSG_NOSIGNAL)))
OUT(sendto, sendto(end->fd, memory, length, 0, NULL, 0))
OUT(more, send(end->fd, memory, length, size > length ? MSG_MORE : 0))

/* Receive up to the end of file; @call receives into scratch. */
#define IN(name, call)                                                                             \
	static void in_##name(struct end *end, size_t size)                                        \
	{                                                                                          \
		for (ssize_t length; size; size -= (size_t)length) {                               \
			length = must(call, #name);                                                \
			if (!length)                                                               \
				return;                                                            \
			take(end, scratch, (size_t)length);                                        \
		}                                                                                  \
	}

IN(read, read(end->fd, scratch, next_length(end, size)))
IN(recv, recv(end->fd, scratch, next_length(end, size), 0))
IN(waitall, recv(end->fd, scratch, next_length(end, size), MSG_WAITALL))
IN(recvfrom,
   recvfrom(end->fd, scratch, next_length(end, size), 0, (void *)&(struct sockaddr_storage){ 0 },
	    &(socklen_t){ sizeof(struct sockaddr_storage) }))
/* Slowly. */
IN(slow, (sched_yield(), read(end->fd, scratch, size < 3000 ? size : 3000)))

/* A call that may return less than requested. */
static void in_lowat(struct end *end, size_t size)
{
	int wanted = LOWAT, usual = 1;

	must(setsockopt(end->fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof(wanted)), "SO_RCVLOWAT");
	in_recv(end, size);
	must(setsockopt(end->fd, SOL_SOCKET, SO_RCVLOWAT, &usual, sizeof(usual)), "SO_RCVLOWAT");
}

/* ---- segments ---- */

#define BY(name, call)                                                                             \
	static void name(struct end *end, size_t size)                                             \
	{                                                                                          \
		call;                                                                              \
	}

/* Split the memory into segments of all lengths, every third empty. Return: their sum. */
static size_t segment(struct end *end, char *data, struct iovec *segments, int count, size_t most)
{
	size_t sum = 0;
	int i;

	for (i = 0; i < count; i++) {
		segments[i].iov_base = data + sum;
		segments[i].iov_len = i % 3 == 1 ? 0 : next_length(end, most - sum);
		sum += segments[i].iov_len;
	}
	return sum;
}

static void out_segments(struct end *end, size_t size, int count, bool by_message)
{
	struct iovec segments[SEGMENTS];
	struct msghdr message = { .msg_iov = segments, .msg_iovlen = (size_t)count };
	ssize_t length;

	while (size) {
		fill(end, memory, segment(end, memory, segments, count, size));
		length = by_message ? must(sendmsg(end->fd, &message, 0), "sendmsg") :
				      must(writev(end->fd, segments, count), "writev");
		end->sent += (uint64_t)length;
		size -= (size_t)length;
	}
}

static void in_segments(struct end *end, size_t size, int count, bool by_message)
{
	struct iovec segments[SEGMENTS];
	struct msghdr message = { .msg_iov = segments, .msg_iovlen = (size_t)count };
	ssize_t length;

	while (size) {
		segment(end, scratch, segments, count, size);
		length = by_message ? must(recvmsg(end->fd, &message, 0), "recvmsg") :
				      must(readv(end->fd, segments, count), "readv");
		if (!length)
			return;
		take(end, scratch, (size_t)length);
		size -= (size_t)length;
	}
}

BY(out_writev, out_segments(end, size, 7, false))
BY(in_readv, in_segments(end, size, 7, false))
BY(out_sendmsg, out_segments(end, size, 5, true))
BY(in_recvmsg, in_segments(end, size, 5, true))
BY(out_thousand, out_segments(end, size, SEGMENTS, false))
BY(in_thousand, in_segments(end, size, SEGMENTS, false))

/* ---- flags and buffers ---- */

static void out_cork(struct end *end, size_t size)
{
	size_t part;
	int on = 1, off = 0;

	while (size) {
		part = size < 20000 ? size : 20000;
		must(setsockopt(end->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)), "TCP_CORK");
		out_write(end, part);
		must(setsockopt(end->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof(off)), "TCP_CORK");
		size -= part;
	}
}

static void wait_ready(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	must(poll(&pfd, 1, -1), "poll");
}

/* Write more than fits into the buffers, without blocking. */
static void out_nonblocking(struct end *end, size_t size)
{
	ssize_t length;
	int flags = (int)must(fcntl(end->fd, F_GETFL), "F_GETFL");

	must(fcntl(end->fd, F_SETFL, flags | O_NONBLOCK), "F_SETFL");
	while (size) {
		fill(end, memory, size);
		length = write(end->fd, memory, size);
		if (length < 0 && errno == EAGAIN) {
			wait_ready(end->fd, POLLOUT);
			continue;
		}
		end->sent += (uint64_t)must(length, "write");
		size -= (size_t)length;
	}
	must(fcntl(end->fd, F_SETFL, flags), "F_SETFL");
}

static void in_nonblocking(struct end *end, size_t size)
{
	ssize_t length;

	while (size) {
		length = recv(end->fd, scratch, next_length(end, size), MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN) {
			wait_ready(end->fd, POLLIN);
			continue;
		}
		if (!must(length, "recv"))
			return;
		take(end, scratch, (size_t)length);
		size -= (size_t)length;
	}
}

/* Write everything by as few calls as possible: SMC may take less even if it may block. */
static void out_whole(struct end *end, size_t size)
{
	ssize_t length;

	while (size) {
		fill(end, memory, size);
		length = must(write(end->fd, memory, size), "write");
		end->sent += (uint64_t)length;
		size -= (size_t)length;
	}
}

static void in_peek(struct end *end, size_t size)
{
	size_t length;
	ssize_t got;
	int i;

	while (size) {
		length = next_length(end, size);
		for (i = 0; i < 2; i++) {
			got = must(recv(end->fd, scratch, length, MSG_PEEK), "recv to peek");
			look(end, scratch, (size_t)got);
		}
		if (!got)
			return;
		got = must(read(end->fd, scratch, length), "read");
		take(end, scratch, (size_t)got);
		size -= (size_t)got;
	}
}

/* Every second piece is discarded. */
static void in_trunc(struct end *end, size_t size)
{
	ssize_t length;
	bool away = false;

	while (size) {
		length = must(
			recv(end->fd, scratch, size < 1000 ? size : 1000, away ? MSG_TRUNC : 0),
			"recv to throw away");
		if (!length)
			return;
		if (away)
			end->got += (uint64_t)length;
		else
			take(end, scratch, (size_t)length);
		size -= (size_t)length;
		away = !away;
	}
}

/* The second segment is unreadable: the result must match the bytes sent. */
static void out_fault(struct end *end, size_t size)
{
	struct iovec segments[2] = { { .iov_base = memory, .iov_len = 1000 }, { .iov_len = 1000 } };
	ssize_t length;

	segments[1].iov_base = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fill(end, memory, 1000);
	length = writev(end->fd, segments, 2);
	if (length < 0 && errno != EFAULT)
		err(1, "writev");
	end->sent += length > 0 ? (uint64_t)length : 0;
	munmap(segments[1].iov_base, 4096);
	out_write(end, size - (length > 0 ? (size_t)length : 0));
}

/* ---- files, pipes, pages ---- */

/* A file with the next bytes. */
static int file_of(struct end *end, size_t size)
{
	int fd = (int)must(memfd_create("ways", 0), "memfd_create");

	fill(end, memory, size);
	if (must(write(fd, memory, size), "write to a file") != (ssize_t)size)
		errx(1, "write to a file: too short");
	return fd;
}

static void out_sendfile(struct end *end, size_t size)
{
	int fd = file_of(end, size);
	off_t at = 0;

	while ((size_t)at < size)
		must(sendfile(end->fd, fd, &at, next_length(end, size - (size_t)at)), "sendfile");
	end->sent += size;
	close(fd);
}

/* Write from pages that this process has not touched. */
static void out_mapped(struct end *end, size_t size)
{
	int fd = file_of(end, size);
	char *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	size_t at = 0, length;

	if (pages == MAP_FAILED)
		err(1, "mmap");
	while (at < size) {
		length = size - at < 40000 ? size - at : 40000;
		at += (size_t)must(write(end->fd, pages + at, length), "write");
	}
	end->sent += size;
	munmap(pages, size);
	close(fd);
}

/* Read into pages that this process has not touched. */
static void in_mapped(struct end *end, size_t size)
{
	ssize_t length;
	char *pages;

	while (size) {
		pages = get_pages(BUFFER);
		length = must(read(end->fd, pages + 5, size < BUFFER - 5 ? size : BUFFER - 5),
			      "read");
		take(end, pages + 5, (size_t)length);
		munmap(pages, BUFFER);
		if (!length)
			return;
		size -= (size_t)length;
	}
}

/* Drain the pipe. */
static void pipe_to_socket(struct end *end, int from, size_t size)
{
	size_t part;
	ssize_t length;

	while (size) {
		part = next_length(end, size);
		length = must(
			splice(from, NULL, end->fd, NULL, part, part < size ? SPLICE_F_MORE : 0),
			"splice");
		end->sent += (uint64_t)length;
		size -= (size_t)length;
	}
}

static void out_pipe(struct end *end, size_t size, bool by_vmsplice)
{
	struct iovec pages = { .iov_base = memory };
	size_t part;
	ssize_t length;
	int ends[2];

	must(pipe(ends), "pipe");
	while (size) {
		part = size < 30000 ? size : 30000;
		fill(end, memory, part);
		pages.iov_len = part;
		length = by_vmsplice ? must(vmsplice(ends[1], &pages, 1, 0), "vmsplice") :
				       must(write(ends[1], memory, part), "write to a pipe");
		pipe_to_socket(end, ends[0], (size_t)length);
		size -= (size_t)length;
		/* Pages given to a pipe may still be in flight: do not reuse them. */
		if (by_vmsplice)
			memory = get_pages(LARGEST);
		pages.iov_base = memory;
	}
	close(ends[0]);
	close(ends[1]);
}

BY(out_splice, out_pipe(end, size, false))
BY(out_vmsplice, out_pipe(end, size, true))

static void in_splice(struct end *end, size_t size)
{
	ssize_t length;
	int ends[2];

	must(pipe(ends), "pipe");
	while (size) {
		length = next_length(end, size);
		length = must(splice(end->fd, NULL, ends[1], NULL, (size_t)length, 0), "splice");
		if (!length)
			break;
		if (must(read(ends[0], scratch, (size_t)length), "read of a pipe") != length)
			errx(1, "read of a pipe: too short");
		take(end, scratch, (size_t)length);
		size -= (size_t)length;
	}
	close(ends[0]);
	close(ends[1]);
}

/* ---- io_uring ---- */

static struct {
	int fd;
	struct io_uring_params params;
	char *rings;
	struct io_uring_sqe *requests;
} ring = { .fd = -1 };

static const char *no_ring(void)
{
	struct iovec fixed[2];
	size_t size;

	if (ring.fd >= 0)
		return NULL;
	ring.fd = (int)syscall(__NR_io_uring_setup, 4, &ring.params);
	if (ring.fd < 0)
		return "this kernel has no io_uring";
	size = ring.params.cq_off.cqes + ring.params.cq_entries * sizeof(struct io_uring_cqe);
	ring.rings = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
			  IORING_OFF_SQ_RING);
	ring.requests = mmap(NULL, ring.params.sq_entries * sizeof(*ring.requests),
			     PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (ring.rings == MAP_FAILED || ring.requests == MAP_FAILED)
		err(1, "io_uring");
	fixed[0] = (struct iovec){ .iov_base = memory, .iov_len = LARGEST };
	fixed[1] = (struct iovec){ .iov_base = scratch, .iov_len = LARGEST };
	must(syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, fixed, 2),
	     "io_uring_register");
	return NULL;
}

static atomic_uint *ring_word(uint32_t offset)
{
	return (atomic_uint *)(void *)(ring.rings + offset);
}

/* Submit one request, and wait for it. Return: as the call would. */
static ssize_t ring_call(struct io_uring_sqe request)
{
	const struct io_sqring_offsets *sq = &ring.params.sq_off;
	const struct io_cqring_offsets *cq = &ring.params.cq_off;
	unsigned int tail = *ring_word(sq->tail), head = *ring_word(cq->head), at;
	struct io_uring_cqe *done;

	at = tail & *ring_word(sq->ring_mask);
	ring.requests[at] = request;
	*ring_word(sq->array + at * (uint32_t)sizeof(at)) = at;
	*ring_word(sq->tail) = tail + 1;
	must(syscall(__NR_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0),
	     "io_uring_enter");
	if (*ring_word(cq->tail) == head)
		errx(1, "io_uring: nothing was done");
	done = (struct io_uring_cqe *)(void *)(ring.rings + cq->cqes);
	done += head & *ring_word(cq->ring_mask);
	if (done->res < 0)
		errno = -done->res;
	*ring_word(cq->head) = head + 1;
	return done->res < 0 ? -1 : done->res;
}

static void out_ring(struct end *end, size_t size, struct io_uring_sqe request)
{
	request.fd = end->fd;
	while (size) {
		request.addr = (uint64_t)(uintptr_t)memory;
		request.len = (uint32_t)next_length(end, size);
		fill(end, memory, request.len);
		request.len = (uint32_t)must(ring_call(request), "io_uring, out");
		end->sent += request.len;
		size -= request.len;
	}
}

static void in_ring(struct end *end, size_t size, struct io_uring_sqe request)
{
	ssize_t length;

	request.fd = end->fd;
	while (size) {
		request.addr = (uint64_t)(uintptr_t)scratch;
		request.len = (uint32_t)next_length(end, size);
		length = must(ring_call(request), "io_uring, in");
		if (!length)
			return;
		take(end, scratch, (size_t)length);
		size -= (size_t)length;
	}
}

#define RING(name, how, ...) BY(name, how(end, size, (struct io_uring_sqe){ __VA_ARGS__ }))
RING(out_ring_send, out_ring, .opcode = IORING_OP_SEND)
RING(in_ring_recv, in_ring, .opcode = IORING_OP_RECV)
RING(out_ring_write, out_ring, .opcode = IORING_OP_WRITE)
RING(in_ring_read, in_ring, .opcode = IORING_OP_READ)
RING(out_ring_fixed, out_ring, .opcode = IORING_OP_WRITE_FIXED, .buf_index = 0)
RING(in_ring_fixed, in_ring, .opcode = IORING_OP_READ_FIXED, .buf_index = 1)
/* Executed by a kernel thread. */
RING(out_ring_async, out_ring, .opcode = IORING_OP_SEND, .flags = IOSQE_ASYNC)
RING(in_ring_async, in_ring, .opcode = IORING_OP_RECV, .flags = IOSQE_ASYNC)

/* ---- other orders ---- */

/* Read to the end of file. */
static void expect_end(struct end *end)
{
	char byte;

	end->wrong |= must(read(end->fd, &byte, 1), "read of the end") != 0;
}

static void talk_in_turn(struct end *end, bool client, const struct way *way)
{
	size_t size = way->size ? way->size : SOME;

	if (client) {
		way->send(end, size);
		way->receive(end, size);
		must(shutdown(end->fd, SHUT_WR), "shutdown");
		expect_end(end);
	} else {
		way->receive(end, size);
		way->send(end, size);
		expect_end(end);
	}
}

/* One end closes its sending half, then the other end answers. */
static void talk_half(struct end *end, bool client, const struct way *way)
{
	if (client) {
		out_write(end, SOME);
		must(shutdown(end->fd, SHUT_WR), "shutdown");
		in_read(end, SOME);
	} else {
		in_read(end, SOME);
		expect_end(end);
		out_write(end, SOME);
		must(shutdown(end->fd, SHUT_WR), "shutdown");
	}
	if (client)
		expect_end(end);
}

static void *write_thread(void *arg)
{
	out_write(arg, 4 * SOME);
	return NULL;
}

/* Each end writes and reads concurrently. */
static void talk_threads(struct end *end, bool client, const struct way *way)
{
	struct end writer = *end;
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_thread, &writer))
		errx(1, "no thread");
	in_read(end, 4 * SOME);
	pthread_join(thread, NULL);
	end->sent = writer.sent;
	must(shutdown(end->fd, SHUT_WR), "shutdown");
	expect_end(end);
}

/* The turns of this process: every second one. The others belong to the other process. */
static void take_turns(struct end *end, bool first, bool sends, int mine, int other)
{
	int i;
	char token = 0;
	bool is_mine = first;

	for (i = 0; i < 20; i++, is_mine = !is_mine) {
		if (is_mine && (i || !first))
			must(read(mine, &token, 1), "read of a token");
		if (is_mine && sends)
			out_whole(end, TURN);
		else if (is_mine)
			in_waitall(end, TURN);
		else
			*(sends ? &end->sent : &end->got) += TURN;
		if (is_mine)
			must(write(other, &token, 1), "write of a token");
	}
}

/* Two processes share the socket. */
static void share(struct end *end, bool sends)
{
	int parent[2], child[2], status;
	pid_t pid;

	end->turn = 8;
	must(pipe(parent), "pipe");
	must(pipe(child), "pipe");
	pid = (pid_t)must(fork(), "fork");
	if (!pid) {
		take_turns(end, false, sends, child[0], parent[1]);
		_exit(end->wrong);
	}
	take_turns(end, true, sends, parent[0], child[1]);
	must(waitpid(pid, &status, 0), "waitpid");
	end->wrong |= status != 0;
	close(parent[0]);
	close(parent[1]);
	close(child[0]);
	close(child[1]);
}

static void talk_fork(struct end *end, bool client, const struct way *way)
{
	share(end, client);
	share(end, !client);
	if (client)
		must(shutdown(end->fd, SHUT_WR), "shutdown");
	expect_end(end);
}

/* The client leaves while it has data to read. */
static void talk_unread(struct end *end, bool client, const struct way *way)
{
	char byte;

	if (client) {
		out_write(end, 1000);
		in_waitall(end, 100);
	} else {
		in_read(end, 1000);
		out_whole(end, 10000);
		while (read(end->fd, &byte, 1) > 0)
			end->wrong = true;
	}
}

static const struct way ways[] = {
	{ "write", .send = out_write, .receive = in_read },
	{ "writev", .send = out_writev, .receive = in_readv },
	{ "send", .send = out_send, .receive = in_recv },
	{ "sendto", .send = out_sendto, .receive = in_recvfrom },
	{ "sendmsg", .send = out_sendmsg, .receive = in_recvmsg },
	{ "thousand", .send = out_thousand, .receive = in_thousand },
	{ "sendfile", .send = out_sendfile, .receive = in_read },
	{ "splice", .send = out_splice, .receive = in_splice },
	{ "vmsplice", .send = out_vmsplice, .receive = in_splice },
	{ "mapped", .send = out_mapped, .receive = in_mapped },
	{ "more", .send = out_more, .receive = in_waitall },
	{ "lowat", .send = out_send, .receive = in_lowat },
	{ "cork", .send = out_cork, .receive = in_read },
	{ "nonblocking", .send = out_nonblocking, .receive = in_nonblocking, .size = 1000000 },
	{ "big", .send = out_whole, .receive = in_slow, .size = LARGEST },
	{ "peek", .send = out_write, .receive = in_peek },
	{ "trunc", .send = out_write, .receive = in_trunc, .size = 20000 },
	{ "fault", .send = out_fault, .receive = in_read, .size = 10000 },
	{ "uring_send", .send = out_ring_send, .receive = in_ring_recv, .lacks = no_ring },
	{ "uring_write", .send = out_ring_write, .receive = in_ring_read, .lacks = no_ring },
	{ "uring_fixed", .send = out_ring_fixed, .receive = in_ring_fixed, .lacks = no_ring },
	{ "uring_async", .send = out_ring_async, .receive = in_ring_async, .lacks = no_ring },
	{ "half", .talk = talk_half },
	{ "threads", .talk = talk_threads },
	{ "fork", .talk = talk_fork },
	{ "unread", .talk = talk_unread },
};
#define WAYS (sizeof(ways) / sizeof(*ways))

/* ---- connections ---- */

static struct sockaddr_storage address;
static socklen_t address_len;
static int first_port;
static bool failed;

static int port_of(const struct way *way)
{
	return first_port + (int)(way - ways);
}

static void print_line(const struct way *way, bool client, const struct end *end)
{
	printf("{\"way\": \"%s\", \"side\": \"%s\", \"port\": %d, "
	       "\"sent\": %lu, \"got\": %lu, \"whole\": %s}\n",
	       way->name, client ? "client" : "server", port_of(way), (unsigned long)end->sent,
	       (unsigned long)end->got, end->wrong ? "false" : "true");
	fflush(stdout);
	failed |= end->wrong;
}

static bool skipped(const struct way *way, bool client)
{
	const char *lack = way->lacks ? way->lacks() : NULL;

	if (lack && client)
		printf("{\"way\": \"%s\", \"skipped\": \"%s\"}\n", way->name, lack);
	fflush(stdout);
	return lack;
}

static int open_socket(const struct way *way)
{
	bool ip6 = address.ss_family == AF_INET6;
	int fd = socket(AF_SMC, SOCK_STREAM, ip6);
	int one = 1, size = BUFFER;
	in_port_t port = htons((in_port_t)port_of(way));

	must(fd, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (ip6)
		((struct sockaddr_in6 *)&address)->sin6_port = port;
	else
		((struct sockaddr_in *)&address)->sin_port = port;
	return fd;
}

static int open_listener(const struct way *way)
{
	int fd = open_socket(way);

	must(bind(fd, (void *)&address, address_len), "bind");
	must(listen(fd, 1), "listen");
	return fd;
}

static int open_client(const struct way *way)
{
	int fd = open_socket(way);

	must(connect(fd, (void *)&address, address_len), way->name);
	return fd;
}

static struct end begin(const struct way *way, bool client, int fd)
{
	uint32_t seed = 2 * (uint32_t)port_of(way);

	return (struct end){ .fd = fd, .out = seed + !client, .in = seed + client };
}

/* ---- all ---- */

static void run_one(const struct way *way, bool client, int fd)
{
	struct end end = begin(way, client, fd);

	if (way->talk)
		way->talk(&end, client, way);
	else
		talk_in_turn(&end, client, way);
	print_line(way, client, &end);
	close(fd);
}

static void connect_all(const bool *wanted)
{
	char line[16];
	size_t i;

	for (i = 0; i < WAYS; i++) {
		if (!wanted[i] || skipped(&ways[i], true))
			continue;
		if (waits_for_line && !fgets(line, sizeof(line), stdin))
			return;
		run_one(&ways[i], true, open_client(&ways[i]));
	}
}

static void serve_all(const bool *wanted, int ready)
{
	int listeners[WAYS];
	size_t i;

	for (i = 0; i < WAYS; i++)
		listeners[i] = wanted[i] ? open_listener(&ways[i]) : -1;
	if (write(ready, "ready\n", 6) != 6)
		err(1, "ready");
	for (i = 0; i < WAYS; i++) {
		if (!wanted[i] || skipped(&ways[i], false))
			continue;
		run_one(&ways[i], false, (int)must(accept(listeners[i], NULL, NULL), "accept"));
		close(listeners[i]);
	}
}

static void both(const bool *wanted)
{
	char line[6];
	int ready[2], status;
	pid_t pid;

	must(pipe(ready), "pipe");
	pid = (pid_t)must(fork(), "fork");
	if (!pid) {
		serve_all(wanted, ready[1]);
		_exit(failed);
	}
	close(ready[1]);
	if (must(read(ready[0], line, sizeof(line)), "read") != sizeof(line))
		errx(1, "no servers");
	connect_all(wanted);
	must(waitpid(pid, &status, 0), "waitpid");
	failed |= status != 0;
}

static void choose(bool *wanted, char **names)
{
	size_t i;
	bool known;

	for (; *names; names++) {
		known = false;
		for (i = 0; i < WAYS; i++) {
			if (strcmp(*names, "all") && strcmp(*names, ways[i].name))
				continue;
			wanted[i] = known = true;
		}
		if (!known)
			errx(1, "no such way: %s", *names);
	}
}

static void set_address(const char *text)
{
	struct sockaddr_in *ip = (struct sockaddr_in *)&address;
	struct sockaddr_in6 *ip6 = (struct sockaddr_in6 *)&address;

	if (inet_pton(AF_INET, text, &ip->sin_addr) == 1) {
		ip->sin_family = AF_INET;
		address_len = sizeof(*ip);
	} else if (inet_pton(AF_INET6, text, &ip6->sin6_addr) == 1) {
		ip6->sin6_family = AF_INET6;
		address_len = sizeof(*ip6);
	} else {
		errx(1, "not an address: %s", text);
	}
}

int main(int argc, char **argv)
{
	bool wanted[WAYS] = { false };
	int c;

	while ((c = getopt(argc, argv, "h")) > 0)
		waits_for_line |= c == 'h';
	argv += optind;
	argc -= optind;
	if (argc < 4)
		errx(1, "usage: ways both|serve|connect [-h] ADDRESS PORT WAY...");
	memory = get_pages(LARGEST);
	scratch = get_pages(LARGEST);
	set_address(argv[1]);
	first_port = atoi(argv[2]);
	choose(wanted, argv + 3);
	if (!strcmp(argv[0], "serve"))
		serve_all(wanted, STDOUT_FILENO);
	else if (!strcmp(argv[0], "connect"))
		connect_all(wanted);
	else
		both(wanted);
	return failed;
}
