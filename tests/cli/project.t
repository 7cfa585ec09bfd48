#!/bin/bash
# SPDX-License-Identifier: MIT
# Files for contributors: continuous integration, templates, lists of packages, CONTRIBUTING. Needs smc_chk.
# shellcheck disable=SC2013 # the lists are of words
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh

check_ci() {
	for file in .gitlab-ci.yml .github/workflows/*.yml .github/ISSUE_TEMPLATE/*.yml; do
		if python3 -c 'import yaml' 2>/dev/null; then
			out=$(python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" 2>&1)
			ok $? "$file: is YAML" || diag "$out"
		else
			skip "$file: is YAML" "no python3-yaml"
		fi
	done
	for file in .gitlab-ci.yml .github/workflows/ci.yml; do
		is "$(sed -n 's/^ *- \(run: \)\{0,1\}make //p' $file | sort | paste -sd' ')" "check check-source check-vm" "$file: runs the tests"
	done
	for goal in $(grep -ohE 'make check[a-z-]*' .gitlab-ci.yml .github/workflows/ci.yml RELEASING.md CONTRIBUTING.md | sed 's/make //' | sort -u); do
		grep -qE "^([a-z-]+ )*$goal( [a-z-]+)*:" Makefile tests/tests.mk packaging/*.mk
		ok $? "make $goal is a target"
	done
}

check_templates() {
	for name in Bug Feature; do
		is "$(awk 'n == 2; /^---$/ { n++ }' ".github/ISSUE_TEMPLATE/$(echo $name | tr BF bf).md")" \
			"$(cat .gitlab/issue_templates/$name.md)" "$name: GitHub and GitLab ask the same"
	done
	cmp -s .github/pull_request_template.md .gitlab/merge_request_templates/Default.md
	ok $? "change: GitHub and GitLab ask the same"
	help=$("$BUILD/smc_chk" bundle --help)
	for option in $(grep -h '^    smc_chk ' .gitlab/issue_templates/Bug.md | grep -oE ' --?[a-z]+'); do
		like "$help" "(^|[ ,])$option\>" "Bug: smc_chk bundle has $option"
	done
}

# names KINDS COLUMN: packages of these kinds, except those that every build machine has
names() {
	awk -v kinds="^($1)$" -v column="$2" '$1 ~ kinds && $column != "-" { print $column }' packaging/packages |
		grep -vxF libc6-dev | sort
}

check_packages() {
	is "$(sed -n '/^Build-Depends:/,/^Standards/{ /^Standards/!p }' packaging/debian/control | grep -oE '[a-z0-9-]+( <!nocheck>)?,?$' | tr -d , |
		sed 's/ <.*//' | sort)" "$(names 'build|extra|bpf|test' 3 | grep -vxE 'make|gcc')" "debian/control: packages for the build and make check"
	is "$(sed -n 's/^BuildRequires: *//p' packaging/rpm/smc-tools.spec | grep -vxF systemd-rpm-macros | sort)" \
		"$(names 'build|extra|bpf|test' 4)" "spec: packages for the build and make check"
}

# Addresses are in packaging/upstream only; what is empty leaves no field.
check_addresses() {
	is "$(git grep -lF smc-tools.invalid -- . ':!tests' 2>/dev/null | paste -sd' ')" packaging/upstream 'the placeholder is in one file'
	cp packaging/debian/control packaging/debian/watch packaging/rpm/smc-tools.spec "$tmp"
	printf '%s\n' home= git= releases= mail=a@b.c >"$tmp/upstream"
	UPSTREAM=$tmp/upstream packaging/fill "$tmp/control" "$tmp/watch" "$tmp/smc-tools.spec"
	is "$(grep -hE '^(Maintainer|Homepage|Vcs|URL|VCS)|@[a-z]+@' "$tmp/control" "$tmp/smc-tools.spec")" 'Maintainer: The smc-tools authors <a@b.c>' 'empty ones leave no field'
	[ ! -e "$tmp/watch" ]
	ok $? 'nor a file without an address'
	cp packaging/debian/control packaging/debian/watch "$tmp"
	printf '%s\n' 'home=https://a.b/?c&d|e' git=g releases=https://r/ mail=a@b.c >"$tmp/upstream"
	UPSTREAM=$tmp/upstream packaging/fill "$tmp/control" "$tmp/watch"
	is "$(sed -n 's/^Homepage: //p' "$tmp/control") $(sed -n 2p "$tmp/watch")" \
		'https://a.b/?c&d|e https://r/ smc-tools-([\d.]+)\.tar\.gz' 'others are put in as they are'
}

check_ci
check_addresses
check_templates
check_packages
[ "$(wc -c <CONTRIBUTING.md)" -le 8192 ]
ok $? "CONTRIBUTING has 8 KB at most"
plan_done
