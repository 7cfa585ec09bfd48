// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Capture the bytes that programs write to and read from SMC connections of a network namespace.
 *
 * The entry of a call notes where the program's buffers are; the bytes are read from there when SMC
 * has copied some of them, before anyone can overwrite them. Only functions and tracepoints by name
 * are used, and types of the kernel itself. Types of smc.ko, if present, give the mode and link
 * group of connections that existed before, and the place of bytes in SMC's send buffer or in a
 * pipe; without them, writes and pages of pipes must be noted.
 */
#include "bpf/smc.bpf.h"

#include "bpf/smcdata.h"

enum place {
	NOWHERE,
	IN_USER,	/* one buffer */
	IN_USER_VECTOR, /* iovec, in the kernel's copy */
	IN_KERNEL_VECTOR,
	IN_PAGES, /* bio_vec */
	IN_PIPE,
	IN_RING, /* a buffer of SMC: its bytes stay while the socket is locked */
	PEEKED,	 /* will be read again (MSG_PEEK) */
};

/*
 * One call of a task on a socket: where its bytes are, and how many have been reported. @of: the
 * task, if stored with the connection; the socket, if stored with the task; 0: unused.
 * @table: address of the vector's members, or of the buffer itself. @size: of the buffer or ring.
 * @left: bytes that it may still move; @pipe: for IN_PIPE; @is_once: ends with the first bytes,
 *	unless the socket asks for more; @has_moved: some bytes. The end of a call may be missed
 *	where a program is preempted, so it must not be mistaken for the next call.
 */
struct call {
	__u64 of, table, size, member, offset, left, pipe;
	__u32 place;
	__u8 is_once, has_moved;
};

/*
 * @call: the current call, kept with its connection as it is cheaper to find there. A socket's
 * lock admits one call at a time.
 */
struct kept {
	struct smcdata_conn conn;
	struct call call;
};

/* A socket is not freed while a task is in a call on it. */
#define KEPT struct kept
#define KEPT_MAX SMCDATA_CONNS
#include "bpf/places.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	MSG_PEEK = 2,
	MSG_TRUNC = 0x20,
	MSG_WAITALL = 0x100,
	NOBODY = -1,
	ENOENT = 2,
	/* Bytes per read, and steps per piece: vectors have at most 1024 members. */
	STEP = 8192,
	STEPS = 1200,
	/*
	 * Maximum of pieces that are copied without the draft: most requests are shorter. A power
	 * of two.
	 */
	SHORT = 128,
	PAGE_SIZE = 4096,
	/* Fill level at which the reader is woken. */
	WAKE_AT = SMCDATA_RING_SIZE / 4,
	/* Check the fill level after this many records. */
	WAKE_EVERY = 16,
};

/* ---- types of the kernel ---- */

enum iter_type {
	ITER_IOVEC,
	ITER_KVEC,
	ITER_BVEC,
	ITER_UBUF,
};

struct iovec {
	void *iov_base;
	unsigned long iov_len;
} KERNEL;

struct page {
	unsigned long flags;
} KERNEL;

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len, bv_offset;
} KERNEL;

/* @iov was renamed after 6.3; the other vectors and the single buffer share its offset. */
struct iov_iter {
	__u8 iter_type;
	unsigned long iov_offset, count;
	const struct iovec *iov, *__iov;
} KERNEL;

struct msghdr {
	struct iov_iter msg_iter;
} KERNEL;

struct pipe_buffer {
	struct page *page;
	unsigned int offset, len;
} KERNEL;

struct pipe_inode_info {
	unsigned int head, ring_size;
	struct pipe_buffer *bufs;
} KERNEL;

/* ---- per-socket state ---- */

MAP_BESIDE(smcdata_calls, TASK, struct call);

MAP_OF_ONE(smcdata_state, ARRAY, BPF_F_MMAPABLE, struct smcdata_state, state_of)

MAP_RING(smcdata_records, SMCDATA_RING_SIZE);

/*
 * A record under construction; room after its bytes allows a step that starts at the last one.
 * @left: bytes of a piece not yet handled; @wanted: bytes still to be read; @len: bytes in the
 *	draft, @full: bytes that it stands for. They are here and not on the stack, as the verifier
 *	of 7.2 would follow each value through the loop. @call: a call that need not be remembered.
 */
struct draft {
	struct call call;
	__u64 left, wanted;
	__u32 len, full;
	struct smcdata_record record;
	__u8 bytes[SMCDATA_BYTES + STEP];
};

MAP_OF_ONE(smcdata_draft, PERCPU_ARRAY, 0, struct draft, draft_of)

/* A record and its bytes, sent without a draft. */
struct short_record {
	struct smcdata_record record;
	__u8 bytes[SHORT];
};

/* ---- connections ---- */

static void read_mode(struct smcdata_conn *conn, const struct smc_sock *smc)
{
	struct smc_link_group *lgr;
	__u8 id[4] = { 0 };

	if (!bpf_core_field_exists(smc->conn))
		return;
	lgr = BPF_CORE_READ(smc, conn.lgr);
	if (!lgr)
		return;
	conn->mode = BPF_CORE_READ(lgr, is_smcd) ? SMCDATA_SMCD : SMCDATA_SMCR;
	if (conn->mode != SMCDATA_SMCR)
		return;
	BPF_CORE_READ_INTO(&id, lgr, id);
	__builtin_memcpy(&conn->lgr, id, sizeof(id));
}

/* Return: NULL for a socket of another namespace, and without room. */
static struct kept *begin(struct sock *sk, __u8 mode, bool is_old)
{
	struct kept kept = { .conn = { .mode = mode, .is_old = is_old } };
	struct smcdata_conn *conn = &kept.conn;
	struct smcdata_state *state = state_of();
	struct sock *inside;

	if (!state || netns_of(sk) != state->netns)
		return NULL;
	inside = inside_of((void *)sk);
	if (!inside)
		return NULL;
	conn->id = __sync_fetch_and_add(&state->next_id, 1) + 1;
	read_ends(&conn->ends, inside);
	read_mode(conn, (void *)sk);
	/* Not accepted yet. */
	if (!is_old)
		conn->side = BPF_CORE_READ(sk, sk_socket) ? SMCDATA_CLIENT : SMCDATA_SERVER;
	return note(sk, &kept);
}

/* A connection that the reader does not want stays unwanted, even if its slot gets another one. */
static bool is_wanted(const struct smcdata_state *state, struct smcdata_conn *conn)
{
	if (state->unwanted[conn->id % SMCDATA_VERDICTS] == conn->id)
		conn->is_unwanted = 1;
	return !conn->is_unwanted;
}

/* ---- records ---- */

/* Include the process if it differs from the previous record's. */
static void fill(struct smcdata_record *record, struct smcdata_conn *conn, __u32 kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 pid = task->flags & IS_KERNEL_THREAD ? 0 : task->tgid;

	record->at = bpf_ktime_get_ns();
	record->kind = kind;
	record->is_unread = 0;
	record->is_other_process = pid != conn->pid || !(conn->sent | conn->received);
	if (record->is_other_process) {
		conn->pid = pid;
		record->uid = bpf_get_current_uid_gid();
		bpf_probe_read_kernel(record->comm, sizeof(record->comm), task->group_leader->comm);
	}
	record->conn = *conn;
}

/* Wake the reader for a connection's first bytes: it decides whether they are wanted. */
static __u64 wake_flags(struct smcdata_conn *conn, const struct smcdata_record *record)
{
	if (!(record->conn.sent | record->conn.received))
		return BPF_RB_FORCE_WAKEUP;
	if (++conn->records % WAKE_EVERY ||
	    bpf_ringbuf_query(&smcdata_records, BPF_RB_AVAIL_DATA) <= WAKE_AT)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

static void count_lost(struct smcdata_state *state, __u64 bytes)
{
	__sync_fetch_and_add(&state->lost, 1);
	__sync_fetch_and_add(&state->lost_bytes, bytes);
}

/* Send a record. @len: bytes in the draft; @full: bytes before truncation. Return: true if sent. */
static bool tell(struct smcdata_state *state, struct smcdata_conn *conn, struct draft *draft,
		 __u32 len, __u32 full)
{
	__u64 flags = wake_flags(conn, &draft->record);

	draft->record.len = len;
	draft->record.full = full;
	if (len > SMCDATA_BYTES)
		return false;
	if (!bpf_ringbuf_output(&smcdata_records, &draft->record, sizeof(draft->record) + len,
				flags))
		return true;
	count_lost(state, full);
	return false;
}

/* Does not use the draft: this program may preempt one that is filling it. */
static void tell_end(struct smcdata_conn *conn)
{
	struct smcdata_record record = { .full = 0 };
	struct smcdata_state *state = state_of();

	if (!state || !is_wanted(state, conn))
		return;
	fill(&record, conn, SMCDATA_CLOSE);
	bpf_ringbuf_output(&smcdata_records, &record, sizeof(record), BPF_RB_NO_WAKEUP);
}

/* ---- location of the bytes ---- */

#ifdef __TARGET_ARCH_x86
/* Defaults of Documentation/arch/x86/x86_64/mm.rst, if not randomized. 0: not known. */
static volatile __u64 pages_base = 0xffffea0000000000, memory_base = 0xffff888000000000;

static __u64 value_at(const char *symbol, int size, __u64 otherwise)
{
	__u64 address = 0, value = 0;
	long ret = bpf_kallsyms_lookup_name(symbol, size, 0, &address);

	if (ret == -ENOENT)
		return otherwise;
	if (!ret)
		bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

SEC("syscall")
int smcdata_set_up(void *ctx)
{
	const char pages[] = "vmemmap_base", memory[] = "page_offset_base";

	pages_base = value_at(pages, sizeof(pages), pages_base);
	memory_base = value_at(memory, sizeof(memory), memory_base);
	return 0;
}

static __u64 page_address(const struct page *page)
{
	__u64 pages = pages_base, memory = memory_base;

	if (!pages || !memory)
		return 0;
	return memory + ((__u64)page - pages) / bpf_core_type_size(struct page) * PAGE_SIZE;
}
#else
/* Return: 0 if not known: such bytes are counted only. */
static __u64 page_address(const struct page *page)
{
	return 0;
}
#endif

/* @call: offset and table are set; @count: bytes from there on. */
static void note_place(struct call *call, __u8 type, __u64 count)
{
	if (bpf_core_enum_value_exists(enum iter_type, ITER_UBUF) &&
	    type == bpf_core_enum_value(enum iter_type, ITER_UBUF)) {
		call->place = IN_USER;
		call->size = call->offset + count;
	} else if (type == bpf_core_enum_value(enum iter_type, ITER_IOVEC)) {
		call->place = IN_USER_VECTOR;
	} else if (type == bpf_core_enum_value(enum iter_type, ITER_KVEC)) {
		call->place = IN_KERNEL_VECTOR;
	} else if (type == bpf_core_enum_value(enum iter_type, ITER_BVEC)) {
		call->place = IN_PAGES;
	}
}

static void note_typed(struct call *call, const struct iov_iter *iter)
{
	call->offset = iter->iov_offset;
	call->table = bpf_core_field_exists(iter->__iov) ? (__u64)iter->__iov : (__u64)iter->iov;
	note_place(call, iter->iter_type, iter->count);
}

/* A member of a raw copy of the iterator; this kernel may have only one of @__iov and @iov. */
#define ITER(copy, member, type)                                                                   \
	(*(type *)((copy) + bpf_core_field_offset(((struct iov_iter *)0)->member)))
#define ITER_SIZE 64

static __always_inline void note_plain(struct call *call, const struct iov_iter *iter)
{
	__u8 copy[ITER_SIZE] __attribute__((aligned(8)));

	if (bpf_core_type_size(struct iov_iter) > sizeof(copy) ||
	    bpf_probe_read_kernel(copy, bpf_core_type_size(struct iov_iter), iter))
		return;
	call->offset = ITER(copy, iov_offset, __u64);
	call->table = bpf_core_field_exists(iter->__iov) ? ITER(copy, __iov, __u64) :
							   ITER(copy, iov, __u64);
	note_place(call, ITER(copy, iter_type, __u8), ITER(copy, count, __u64));
}

/* ITER_KVEC has the same members as ITER_IOVEC. */
static __u64 vector_member(const struct call *call, __u64 *len)
{
	const struct iovec *member =
		(void *)call->table + call->member * bpf_core_type_size(struct iovec);

	*len = BPF_CORE_READ(member, iov_len);
	return (__u64)BPF_CORE_READ(member, iov_base);
}

static __u64 page_member(const struct call *call, __u64 *len)
{
	const struct bio_vec *member =
		(void *)call->table + call->member * bpf_core_type_size(struct bio_vec);
	__u64 address = page_address(BPF_CORE_READ(member, bv_page));

	*len = BPF_CORE_READ(member, bv_len);
	return address ? address + BPF_CORE_READ(member, bv_offset) : 0;
}

static __u64 pipe_member(const struct call *call, __u64 *len)
{
	const struct pipe_buffer *member =
		(void *)call->table +
		(call->member & (call->size - 1)) * bpf_core_type_size(struct pipe_buffer);
	const struct pipe_inode_info *pipe = (void *)call->pipe;
	__u64 address;

	/* Fewer bytes are in the pipe than counted. */
	*len = ~0ULL;
	if ((__u32)call->member == BPF_CORE_READ(pipe, head))
		return 0;
	address = page_address(BPF_CORE_READ(member, page));
	*len = BPF_CORE_READ(member, len);
	return address ? address + BPF_CORE_READ(member, offset) : 0;
}

/* Return: address of the next bytes to report, 0: not known. */
static __u64 member_of(const struct call *call, __u64 *len)
{
	switch (call->place) {
	case IN_USER:
	case IN_RING: *len = call->size; return call->table;
	case IN_USER_VECTOR:
	case IN_KERNEL_VECTOR: return vector_member(call, len);
	case IN_PAGES: return page_member(call, len);
	case IN_PIPE: return pipe_member(call, len);
	default: *len = 0; return 0;
	}
}

/* ---- reporting the bytes ---- */

/* A run of bytes that SMC has copied. */
struct piece {
	struct call *call;
	struct smcdata_conn *conn;
	struct smcdata_state *state;
	struct draft *draft;
};

static long read_step(struct draft *draft, __u32 at, __u64 n, __u64 from, __u32 place)
{
	void *to = draft->bytes + (at & (SMCDATA_BYTES - 1));

	/* Keep the compiler from moving the bound check away: the verifier of 6.1 needs it here. */
	asm volatile("" : "+r"(n));
	if (n > STEP)
		return -1;
	return place <= IN_USER_VECTOR ? bpf_probe_read_user(to, n, (void *)from) :
					 bpf_probe_read_kernel(to, n, (void *)from);
}

static void count(struct smcdata_conn *conn, __u32 kind, __u64 bytes)
{
	if (kind == SMCDATA_SENT)
		conn->sent += bytes;
	else
		conn->received += bytes;
}

/* Submit when the record is full or the piece ends. */
static void tell_piece(struct piece *piece)
{
	if (!piece->draft->full)
		return;
	/* The next record includes the process. */
	if (!tell(piece->state, piece->conn, piece->draft, piece->draft->len, piece->draft->full))
		piece->conn->pid = NOBODY;
	piece->draft->record.is_other_process = 0;
	count(&piece->draft->record.conn, piece->draft->record.kind, piece->draft->full);
	piece->draft->len = piece->draft->full = 0;
}

static void stop_reading(struct piece *piece)
{
	__sync_fetch_and_add(&piece->state->unread, piece->draft->wanted);
	piece->draft->record.is_unread = 1;
	piece->draft->wanted = 0;
}

/* Copy some bytes of one member. Return: 1 to stop. */
static long step(__u32 i, struct piece *piece)
{
	struct draft *draft = piece->draft;
	struct call *call = piece->call;
	__u64 len, n, from;

	from = member_of(call, &len);
	if (call->place == NOWHERE)
		len = call->offset + draft->left;
	n = call->offset < len ? len - call->offset : 0;
	if (n > draft->left)
		n = draft->left;
	/* Empty members can occur anywhere. */
	if (draft->wanted && n && !from)
		stop_reading(piece);
	if (draft->wanted) {
		if (n > STEP)
			n = STEP;
		if (n > draft->wanted)
			n = draft->wanted;
		if (read_step(draft, draft->len, n, from + call->offset, call->place)) {
			stop_reading(piece);
		} else {
			draft->len += n;
			draft->wanted -= n;
		}
	}
	call->offset += n;
	if (call->offset >= len) {
		call->member++;
		call->offset = 0;
	}
	draft->left -= n;
	draft->full += n;
	if (draft->len > SMCDATA_BYTES - STEP && draft->left && draft->wanted)
		tell_piece(piece);
	return !draft->left;
}

static __noinline void tell_pieces(struct piece *piece, __u64 wanted, __u64 len, __u32 kind)
{
	struct draft *draft = draft_of();

	if (!draft)
		return;
	piece->draft = draft;
	draft->left = len;
	draft->len = draft->full = 0;
	draft->wanted = wanted;
	fill(&draft->record, piece->conn, kind);
	bpf_loop(STEPS, step, piece, 0);
	if (draft->left) {
		stop_reading(piece);
		piece->call->place = NOWHERE;
	}
	draft->full += draft->left;
	tell_piece(piece);
}

static long read_short(void *to, __u32 n, const struct call *call)
{
	const void *from = (void *)call->table + call->offset;

	return call->place == IN_USER ? bpf_probe_read_user(to, n, from) :
					bpf_probe_read_kernel(to, n, from);
}

/* Same as tell_pieces(), but directly in the ring: requests are short and have one buffer. */
static __always_inline void tell_short(struct piece *piece, __u32 wanted, __u32 len, __u32 kind)
{
	struct short_record *sent = bpf_ringbuf_reserve(&smcdata_records, sizeof(*sent), 0);
	struct call *call = piece->call;

	if (!sent) {
		count_lost(piece->state, len);
		piece->conn->pid = NOBODY;
		return;
	}
	fill(&sent->record, piece->conn, kind);
	sent->record.full = len;
	sent->record.len = wanted;
	asm volatile("" : "+r"(wanted));
	if (wanted > SHORT || read_short(sent->bytes, wanted, call)) {
		__sync_fetch_and_add(&piece->state->unread, sent->record.len);
		sent->record.is_unread = 1;
		sent->record.len = 0;
	}
	call->offset += len;
	bpf_ringbuf_submit(sent, wake_flags(piece->conn, &sent->record));
}

/* Return: NULL if the connection is not wanted. */
static __always_inline struct kept *kept_of(struct sock *sk)
{
	struct kept *kept = find(sk);

	/* The call began before this program was loaded. */
	if (!kept)
		kept = begin(sk, SMCDATA_UNKNOWN, true);
	return kept && !kept->conn.is_unwanted ? kept : NULL;
}

/* Return: true if the piece is wanted */
static __always_inline bool begin_piece(struct piece *piece, struct kept *kept)
{
	if (!kept)
		return false;
	piece->conn = &kept->conn;
	piece->state = state_of();
	return piece->state && is_wanted(piece->state, piece->conn);
}

/* Call of this task on that socket; @begins: start a new one. Return: NULL without memory. */
static __always_inline struct call *call_of(struct kept *kept, struct sock *sk, bool begins)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call *call = &kept->call;
	__u64 of = (__u64)task;

	if (call->of != of && !(begins && !call->of)) {
		call = bpf_task_storage_get(&smcdata_calls, task, NULL,
					    BPF_LOCAL_STORAGE_GET_F_CREATE);
		of = (__u64)sk;
	}
	if (call && begins) {
		call->place = NOWHERE;
		call->member = call->offset = 0;
		call->has_moved = call->is_once = 0;
		call->of = of;
	} else if (call && call->of != of) {
		call->place = NOWHERE;
	}
	return call;
}

static bool is_in_one(const struct call *call, __u64 n)
{
	return call->place == IN_USER || (call->place == IN_RING && call->offset + n <= call->size);
}

static __always_inline void tell_copied(struct piece *piece, __u64 len, __u32 kind)
{
	__u64 wanted = len < piece->state->snaplen ? len : piece->state->snaplen;

	if (wanted <= SHORT && is_in_one(piece->call, wanted))
		tell_short(piece, wanted, len, kind);
	else
		tell_pieces(piece, wanted, len, kind);
	count(piece->conn, kind, len);
}

/* Note @len bytes of a ring; @end is after the last one, and may be one lap too far. */
static void note_ring(struct call *call, const struct smc_buf_desc *buffer, __u64 end, __u64 len)
{
	call->place = IN_RING;
	call->table = (__u64)buffer->cpu_addr;
	call->size = buffer->len;
	call->offset = (end + call->size - len) % call->size;
}

/* A pipe gets pages of the buffer itself; unread ones start at the cursor. */
static void tell_given(struct piece *piece, const struct smc_connection *conn, __u64 len)
{
	__u64 end = conn->local_tx_ctrl.cons.count + (__u32)conn->splice_pending.counter;
	struct draft *draft = draft_of();

	if (!draft)
		return;
	piece->call = &draft->call;
	note_ring(piece->call, conn->rmb_desc, end, len);
	piece->call->table += conn->rx_off;
	tell_copied(piece, len, SMCDATA_RECEIVED);
}

/* True if SMC copies for another call, whose start was not seen: its bytes are not known. */
static bool is_other_call(const struct call *call, struct sock *sk, __u64 len)
{
	return call->left < len ||
	       (call->is_once && call->has_moved && BPF_CORE_READ(sk, sk_rcvlowat) <= 1);
}

/*
 * SMC has copied @len bytes for a call of this task.
 * @smc: the same socket with its type, or NULL
 */
static __always_inline void copied(struct sock *sk, struct smc_sock *smc, __u64 len, __u32 kind)
{
	struct kept *kept = kept_of(sk);
	struct piece piece;
	struct call *call;

	if (!begin_piece(&piece, kept))
		return;
	call = call_of(kept, sk, false);
	if (!call) {
		count_lost(piece.state, len);
		count(piece.conn, kind, len);
		return;
	}
	if (is_other_call(call, sk, len))
		call->place = NOWHERE;
	if (call->place == PEEKED)
		return;
	piece.call = call;
	call->left -= len;
	call->has_moved = 1;
	if (call->place == IN_PIPE && smc)
		tell_given(&piece, &smc->conn, len);
	else
		tell_copied(&piece, len, kind);
	if (!call->left)
		call->of = 0;
}

/* Return: the call of this task, to be filled in; NULL if not wanted. */
static __always_inline struct call *begin_call(struct sock *sk, __u64 len)
{
	struct kept *kept = kept_of(sk);
	struct call *call;

	if (!kept)
		return NULL;
	call = call_of(kept, sk, true);
	if (call)
		call->left = len;
	return call;
}

/* ---- hooks ---- */

/* The socket becomes an SMC connection; on the server's side, in a kernel worker. */
static void on_buffers(struct sock *sk, bool is_smcd)
{
	begin(sk, is_smcd ? SMCDATA_SMCD : SMCDATA_SMCR, false);
}
AT(smc_buf_create, on_buffers, ARGUMENTS(struct sock *sk, bool is_smcd), sk, is_smcd)

SEC("kprobe/smc_tx_sendmsg")
int BPF_KPROBE(plain_send, struct sock *sk, struct msghdr *msg, __u64 len)
{
	struct call *call = begin_call(sk, len);

	if (call)
		note_plain(call, &msg->msg_iter);
	return 0;
}

SEC("raw_tp/smc_tx_sendmsg")
int BPF_PROG(plain_sent, struct sock *sk, __u64 len)
{
	copied(sk, NULL, len, SMCDATA_SENT);
	return 0;
}

SEC("tp_btf/smc_tx_sendmsg")
int BPF_PROG(typed_sent, struct smc_sock *smc, __u64 len)
{
	struct piece piece = { .draft = draft_of() };

	/* The verifier of 6.12 needs the NULL check. */
	if (!smc || !piece.draft || !begin_piece(&piece, kept_of((void *)smc)))
		return 0;
	piece.call = &piece.draft->call;
	note_ring(piece.call, smc->conn.sndbuf_desc, smc->conn.tx_curs_prep.count, len);
	tell_copied(&piece, len, SMCDATA_SENT);
	return 0;
}

/* MSG_PEEK leaves the bytes to be read again. The caller notes where they go. */
static bool begin_receive(struct call *call, struct msghdr *msg, struct pipe_inode_info *pipe,
			  int flags)
{
	call->is_once = !(flags & MSG_WAITALL);
	if (flags & MSG_PEEK) {
		call->place = PEEKED;
		return false;
	}
	if (msg)
		return !(flags & MSG_TRUNC);
	call->place = IN_PIPE;
	call->pipe = (__u64)pipe;
	call->table = (__u64)BPF_CORE_READ(pipe, bufs);
	call->member = BPF_CORE_READ(pipe, head);
	call->size = BPF_CORE_READ(pipe, ring_size);
	return false;
}

static void on_typed_receive(struct sock *sk, struct msghdr *msg, struct pipe_inode_info *pipe,
			     __u64 len, int flags)
{
	struct call *call = begin_call(sk, len);

	if (call && begin_receive(call, msg, pipe, flags))
		note_typed(call, &msg->msg_iter);
}

static void on_receive(struct sock *sk, struct msghdr *msg, struct pipe_inode_info *pipe, __u64 len,
		       int flags)
{
	struct call *call = begin_call(sk, len);

	if (call && begin_receive(call, msg, pipe, flags))
		note_plain(call, &msg->msg_iter);
}
AT_EITHER(smc_rx_recvmsg, on_typed_receive, on_receive,
	  ARGUMENTS(struct sock *sk, struct msghdr *msg, struct pipe_inode_info *pipe, __u64 len,
		    int flags),
	  sk, msg, pipe, len, flags)

SEC("raw_tp/smc_rx_recvmsg")
int BPF_PROG(plain_received, struct sock *sk, __u64 len)
{
	copied(sk, NULL, len, SMCDATA_RECEIVED);
	return 0;
}

SEC("tp_btf/smc_rx_recvmsg")
int BPF_PROG(typed_received, struct smc_sock *smc, __u64 len)
{
	/* The verifier of 6.12 needs the NULL check. */
	if (smc)
		copied((void *)smc, smc, len, SMCDATA_RECEIVED);
	return 0;
}

static void end(struct sock *sk)
{
	struct kept *kept = find(sk);

	if (!kept)
		return;
	/* A connection without data was never reported. */
	if (kept->conn.sent || kept->conn.received)
		tell_end(&kept->conn);
	forget(sk);
}

static void on_release(struct socket *sock)
{
	end(BPF_CORE_READ(sock, sk));
}
AT(smc_release, on_release, ARGUMENTS(struct socket *sock), sock)

/* Never accepted. */
AT(smc_destruct, end, ARGUMENTS(struct sock *sk), sk)
