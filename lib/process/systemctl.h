/* SPDX-License-Identifier: MIT */
/* Units by "systemctl show", whose output is stable. Functions with @err return 0 or -errno. */
#pragma once

#include "base/err.h"

/* systemd's UNIT_NAME_MAX, with the NUL. */
#define UNIT_NAME_SIZE 256

/**
 * unit_name() - a service's full name, as systemctl(1) completes it
 * @typed: "nginx", "nginx.service", "foo@.service", "foo@1"
 * @name: with ".service"; written only on success
 *
 * Return: -EINVAL if it is not a service name (systemd.unit(5)).
 */
int unit_name(const char *typed, char name[UNIT_NAME_SIZE], struct smc_err *err);

/** unit_is_template() - true for a name like "foo@.service" */
bool unit_is_template(const char *name);

/** unit_instances() - a pattern for the instances of a template. Return: true for a template */
bool unit_instances(const char *name, char pattern[UNIT_NAME_SIZE]);

/** unit_shown_name() - name for systemctl show: for a template, that of a dummy instance */
void unit_shown_name(const char *name, char shown[UNIT_NAME_SIZE]);

/** unit_file_name() - the inverse for @asked, in place: name used in the drop-in's directory */
void unit_file_name(char *name, const char *asked);

/** struct unit_props - properties of units, lines of "Name=value", each NUL-terminated */
struct unit_props {
	char *text;
	size_t size;
};

/**
 * systemctl_show() - get properties of units
 * @user: ask the user's own manager
 * @pattern: unit name, or a pattern for loaded units
 * @names: comma-separated properties; @props: filled in on success
 */
int systemctl_show(bool user, const char *pattern, const char *names, struct unit_props *props,
		   struct smc_err *err);

/** systemctl_reload() - "systemctl daemon-reload" */
int systemctl_reload(bool user, struct smc_err *err);

static inline void unit_props_free(struct unit_props *props)
{
	free(props->text);
}

/** unit_next_props() - split the first unit off the text. Return: false at the end */
bool unit_next_props(struct unit_props *all, struct unit_props *one);

/** unit_prop() - first value of a property, or the next one after @after. Return: NULL if none */
const char *unit_prop(const struct unit_props *props, const char *name, const char *after);

/** unit_prop_text() - the first value, "" if there is none */
const char *unit_prop_text(const struct unit_props *props, const char *name);

/** unit_program() - path of the first ExecStart=, "" if there is none */
void unit_program(const struct unit_props *props, char path[PATH_MAX]);

/**
 * unit_next_word() - next item of a list printed by systemctl
 * @rest: the list; advanced past the item
 * @word: the item without systemctl's quotes and escapes, truncated if longer
 *
 * Return: false at the end.
 */
bool unit_next_word(const char **rest, char word[PATH_MAX]);

/** unit_has_word() - true if such a list contains @word */
bool unit_has_word(const char *list, const char *word);
