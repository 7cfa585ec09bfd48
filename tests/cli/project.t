#!/bin/sh
# SPDX-License-Identifier: MIT
# What those who join read and run: continuous integration, templates. Needs smc_chk.
# shellcheck disable=SC2013 # the lists are of words
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(cd "${BUILD:-build}" && pwd) || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
export LC_ALL=C

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
	for goal in $(grep -ohE 'make check[a-z-]*' .gitlab-ci.yml .github/workflows/ci.yml RELEASING.md | sed 's/make //' | sort -u); do
		grep -qE "^$goal:" Makefile tests/tests.mk packaging/*.mk
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
	help=$("$BUILD/smc_chk" --help)
	for option in $(grep -h '^    smc_chk ' .gitlab/issue_templates/Bug.md | grep -oE ' --?[a-z]+'); do
		like "$help" "(^|[ ,])$option\>" "Bug: smc_chk has $option"
	done
}

check_ci
check_templates
plan_done
