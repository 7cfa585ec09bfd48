// SPDX-License-Identifier: MIT
/* A result of smc_ab --json as evidence: where it was measured, and whether a second run agrees. */
#include "smc_ab/evidence.h"

#include <sys/utsname.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "host/file.h"
#include "out/table.h"

/* A thousand pairs take half a megabyte. */
#define MOST (8 << 20)

/* ---- the host ---- */

/* Name of the processor: each architecture has its own key. */
static json_t *processor(void)
{
	static const char *const keys[] = { "model name", "processor 0", "CPU part" };
	size_t len;
	char *text AUTO_FREE = host_whole(&len, MOST, "/proc/cpuinfo"), *line = NULL;

	for (size_t i = 0; text && !line && i < ARRAY_SIZE(keys); i++)
		line = strstr(text, keys[i]);
	line = line ? strchr(line, ':') : NULL;
	if (!line)
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	return out_json_string(line, (size_t)(strchrnul(line, '\n') - line));
}

static json_t *sysctls(void)
{
	static const char *const others[] = { "net/core/rmem_max", "net/core/wmem_max",
					      "net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem",
					      "net/ipv4/tcp_congestion_control" };
	struct host_names names AUTO(host_names_free) = { 0 };
	json_t *all = json_object();
	char value[128];

	host_list(&names, "/proc/sys/net/smc");
	for (size_t i = 0; i < names.count; i++)
		if (host_text(value, sizeof(value), "/proc/sys/net/smc/%s", names.names[i]))
			json_object_set_new(all, names.names[i], out_json_str(value));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (host_text(value, sizeof(value), "/proc/sys/%s", others[i]))
			json_object_set_new(all, strrchr(others[i], '/') + 1, out_json_str(value));
	return all;
}

/* Variables of ld_pre_smc.so, which commands inherit. */
static json_t *variables(void)
{
	json_t *all = json_object();

	for (char **var = environ; *var; var++) {
		char *equals = strchr(*var, '='), *name;

		if (!equals || strncmp(*var, "SMC_", 4))
			continue;
		name = xstrndup(*var, (size_t)(equals - *var));
		json_object_set_new(all, name, out_json_str(equals + 1));
		free(name);
	}
	return all;
}

json_t *record_host(void)
{
	struct utsname name;

	uname(&name);
	return json_pack("{s:s, s:s, s:o*, s:I, s:o, s:o}", "kernel", name.release, "machine",
			 name.machine, "processor", processor(), "processors",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "sysctls", sysctls(),
			 "environment", variables());
}

/* ---- the file ---- */

/* Add an array of strings to argv. Return: false if it is none. */
static bool add_words(struct record *record, const json_t *array)
{
	size_t i;
	json_t *word;

	json_array_foreach(array, i, word) {
		if (!json_is_string(word) ||
		    strlen(json_string_value(word)) != json_string_length(word))
			return false;
		record->argv =
			xrealloc(record->argv, (size_t)record->argc + 2, sizeof(*record->argv));
		record->argv[record->argc++] = (char *)json_string_value(word);
		record->argv[record->argc] = NULL;
	}
	return json_array_size(array) > 0;
}

static json_t *judged(const json_t *doc)
{
	json_t *metric = json_object_get(doc, "metric");

	return metric ? metric : json_object_get(doc, "wall_seconds");
}

/* Return: NULL, or why it is not a result with a verdict. */
static const char *parse(struct record *record)
{
	const char *schema = NULL, *verdict = NULL;
	struct numbers *numbers = &record->judged;

	if (json_unpack(record->doc, "{s:s, s:s}", "schema", &schema, "verdict", &verdict) ||
	    strcmp(schema, AB_SCHEMA) || !add_words(record, json_object_get(record->doc, "argv")))
		return "it is not a result of smc_ab --json";
	while (record->verdict <= AB_NO_DIFFERENCE &&
	       strcmp(verdict, result_verdicts[record->verdict]) != 0)
		record->verdict++;
	if (record->verdict > AB_NO_DIFFERENCE)
		return "it has no verdict";
	numbers->has_interval =
		!json_unpack(judged(record->doc), "{s:F, s:[F, F]}", "ratio", &numbers->ratio,
			     "interval", &numbers->low, &numbers->high);
	return numbers->has_interval ? NULL : "it has no interval";
}

int record_load(struct record *record, const struct cli_tool *tool, const char *path)
{
	const char *why;
	size_t len;
	char *text AUTO_FREE = smc_read_file(path, 0, MOST, &len);

	if (!text)
		return cli_error(tool, "%s: %s", path, strerror(errno));
	*record = (struct record){ .argv = xcalloc(2, sizeof(*record->argv)), .argc = 1 };
	record->argv[0] = (char *)tool->name;
	record->doc = json_loadb(text, len, 0, NULL);
	why = parse(record);
	if (why)
		record_free(record);
	return why ? cli_error(tool, "%s: cannot be verified: %s", path, why) : 0;
}

void record_free(struct record *record)
{
	json_decref(record->doc);
	free(record->argv);
	*record = (struct record){ 0 };
}

/* ---- the comparison ---- */

static bool overlaps(const struct record *record, const struct ab_result *result)
{
	const struct numbers *there = &record->judged, *here = result->judged;

	return here->has_interval && there->low <= here->high && here->low <= there->high;
}

static void put_value(struct out_text *text, const json_t *value)
{
	const char *word = value ? json_string_value(value) : "none";
	char *dump AUTO_FREE = word ? NULL : json_dumps(value, JSON_ENCODE_ANY);

	out_escaped(text, word ? word : dump, SIZE_MAX);
}

/* Append what differs between two objects, those inside them too. */
static void put_differences(struct out_text *text, json_t *there, json_t *here)
{
	json_t *all = json_object(), *value, *one, *other;
	const char *key;

	json_object_update(all, there);
	json_object_update(all, here);
	json_object_foreach(all, key, value) {
		one = json_object_get(there, key);
		other = json_object_get(here, key);
		if (json_is_object(one) && json_is_object(other)) {
			put_differences(text, one, other);
		} else if (!one || !other || !json_equal(one, other)) {
			out_str(text, "  ");
			out_escaped(text, key, strlen(key));
			out_str(text, ": ");
			put_value(text, one);
			out_str(text, " recorded, ");
			put_value(text, other);
			out_str(text, " here\n");
		}
	}
	json_decref(all);
}

void record_text(struct out_text *text, const struct record *record, const struct ab_result *result)
{
	struct out_text differences AUTO(out_free) = { 0 };
	const char *agreement = overlaps(record, result) ? "This run agrees." :
							   "The verdict agrees, the ratio differs.";
	json_t *here = record_host();

	out_str(text, "Recorded: ");
	result_put_ratio(text, &record->judged);
	out_printf(text, ". %s\n",
		   record->verdict == result->verdict ? agreement : "The verdict differs.");
	put_differences(&differences, json_object_get(record->doc, "host"), here);
	if (differences.len) {
		out_str(text, "Differences of the hosts:\n");
		out_mem(text, differences.data, differences.len);
	}
	json_decref(here);
}

json_t *record_json(const struct record *record, const struct ab_result *result)
{
	return json_pack(
		"{s:s, s:O, s:O*, s:b, s:b}", "verdict", result_verdicts[record->verdict], "judged",
		judged(record->doc), "host", json_object_get(record->doc, "host"), "verdict_agrees",
		record->verdict == result->verdict, "ratio_agrees", overlaps(record, result));
}
