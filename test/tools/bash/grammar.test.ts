import { describe, expect, it } from "vitest";
import { ANY_TEXT, MORE_OPERANDS, MORE_WORDS, OPERAND } from "../../../src/domain/partly-known.ts";
import { stoppedBy } from "../../../src/domain/tool-rules.ts";
import { understand } from "../../../src/tools/bash/shell-grammar.ts";

const commandsOf = (source: string): readonly string[] | null => understand(source, "/srv/project").commands;
const mayRun = (source: string): readonly string[] | undefined => understand(source, "/srv/project").mayRun;
/** `‹›` for text that is not known, `‹…›` for words that may be there or not; `‹1›` and `‹1…›` if they are no options. */
const MARKS = { "‹…›": MORE_WORDS, "‹›": ANY_TEXT, "‹1›": OPERAND, "‹1…›": MORE_OPERANDS };
const marked = (text: string): string =>
  Object.entries(MARKS).reduce((done, [mark, sign]) => done.replaceAll(mark, sign), text);

describe("what a line would run", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["ls -la", ["ls -la"]],
    ["  ls   -la\t src  ", ["ls -la src"]],
    ["git status; curl x", ["git status", "curl x"]],
    ["git status && rm x || id", ["git status", "rm x", "id"]],
    ["git status | tee x", ["git status", "tee x"]],
    ["git status |& tee x", ["git status", "tee x"]],
    ["git status & rm x", ["git status", "rm x"]],
    ["git status\nrm x", ["git status", "rm x"]],
    ["ls # rm x", ["ls"]],
    ["ls #\nrm x", ["ls", "rm x"]],
    ["echo $(rm x)", ["rm x", "echo $(rm x)"]],
    ['echo "a $(rm x) b"', ["rm x", 'echo "a $(rm x) b"']],
    ["echo `rm x`", ["rm x", "echo `rm x`"]],
    ["echo `echo \\`rm x\\``", ["rm x", "echo `rm x`", "echo `echo \\`rm x\\``"]],
    ["echo '$(rm x)'", ["echo '$(rm x)'"]],
    ["echo \\$\\(rm x\\)", ["echo '$(rm' 'x)'"]],
    ["cat <(rm x)", ["rm x", "cat <(rm x)"]],
    ["ls > >(rm x)", ["rm x", "ls", "> >(rm x)"]],
    ["(ls; rm x)", ["ls", "rm x"]],
    ["{ ls; rm x; }", ["ls", "rm x"]],
    ["if ls; then rm x; elif id; then w; else pwd; fi", ["ls", "rm x", "id", "w", "pwd"]],
    ["while ls; do rm x; done", ["ls", "rm x"]],
    ["until ls; do rm x; done", ["ls", "rm x"]],
    ["for f in $(ls); do rm $f; done", ["ls", "rm $f"]],
    ["case $(ls) in a) rm x;; *) id;; esac", ["ls", "rm x", "id"]],
    ["[[ -f a && b == $(ls) ]] && rm x", ["ls", "rm x"]],
    ["f() { rm x; }; f", ["rm x", "f"]],
    ["function ls { rm x; }; ls", ["rm x", "ls"]],
    ["! ls", ["ls"]],
    ["time rm x", ["rm x"]],
    ["cat <<EOF\n$(rm x)\nEOF", ["rm x", "cat"]],
    ["cat <<EOF; rm y\n`rm x`\nEOF", ["rm x", "cat", "rm y"]],
    ["cat <<'EOF'\n$(rm x)\nEOF\nid", ["cat", "id"]],
    ["cat <<< $(rm x)", ["rm x", "cat"]],
    ["echo ${a:-$(rm x)}", ["rm x", "echo ${a:-$(rm x)}"]],
    ["echo $((1 + 2))", ["echo $((1 + 2))"]],
    ["a=$(rm x)", ["rm x", "a=$(rm x)"]],
    ["\\rm x", ["rm x"]],
    ["r''m x", ["rm x"]],
    ["'rm' \"x\"", ["rm x"]],
    ["/bin/rm x", ["/bin/rm x"]],
    ["git commit -m 'a b'", ["git commit -m 'a b'"]],
    [`echo 'it'\\''s'`, [`echo 'it'\\''s'`]],
    ["git show HEAD~1 stash@{0}", ["git show HEAD~1 'stash@{0}'"]],
    ["[ -f x ]", ["[ -f x ]"]],
    ["set -euo pipefail; ls", ["set -euo pipefail", "ls"]],
  ];

  it.each(table)("%j", (source, commands) => {
    expect(commandsOf(source)).toEqual(commands);
  });
});

describe("files that are opened by a redirection", () => {
  it.each([
    ["echo a > x", ["echo a", "> x"]],
    ["echo a >> 'x y'", ["echo a", ">> 'x y'"]],
    ["> x", ["> x"]],
    ["> x echo a", ["echo a", "> x"]],
    ["echo a >| x", ["echo a", ">| x"]],
    ["echo a &> x", ["echo a", "&> x"]],
    ["echo a >& x", ["echo a", ">& x"]],
    ["echo a 2> x 3<> y", ["echo a", "> x", "<> y"]],
    ["cat < x", ["cat", "< x"]],
    ["echo $(< x)", ["< x", "echo $(< x)"]],
    ["{ ls; } > x", ["> x", "ls"]],
    ["while read a; do ls; done < x", ["< x", "read a", "ls"]],
    ["exec 3<> /dev/tcp/host/80", ["exec", "<> /dev/tcp/host/80"]],
    ["ls > /dev/null 2>&1", ["ls"]],
    ["ls 2>&- <&0 3>&1-", ["ls"]],
  ] as const)("%j", (source, commands) => {
    expect(commandsOf(source)).toEqual(commands);
  });
});

describe("what stands behind another program or an assignment is listed by itself, too", () => {
  it.each([
    ["A=1 rm x", ["A=1 rm x", "rm x"]],
    ["env A=1 rm x", ["env A=1 rm x", "rm x"]],
    ["env -i -u B rm x", ["env -i -u B rm x", "rm x"]],
    ["timeout -k 1 5s rm x", ["timeout -k 1 5s rm x", "rm x"]],
    ["timeout --signal=KILL 5 nice -n 3 rm x", ["timeout --signal=KILL 5 nice -n 3 rm x", "nice -n 3 rm x", "rm x"]],
    ["nohup rm x", ["nohup rm x", "rm x"]],
    ["stdbuf -oL rm x", ["stdbuf -oL rm x", "rm x"]],
    ["command rm x", ["command rm x", "rm x"]],
    ["command -v rm", ["command -v rm"]],
    ["builtin cd x", ["builtin cd x", "cd x"]],
    ["exec rm x", ["exec rm x", "rm x"]],
    ["sudo -u root rm x", ["sudo -u root rm x", "rm x"]],
    ["/usr/bin/sudo rm x", ["/usr/bin/sudo rm x", "rm x"]],
    ["busybox rm x", ["busybox rm x", "rm x"]],
    ["ls | xargs rm", ["ls", "xargs rm", "rm"]],
    ["ls | xargs -0 -n 1 rm -f", ["ls", "xargs -0 -n 1 rm -f", "rm -f"]],
    ["find . -name '*.o' -exec rm {} +", ["find . -name '*.o' -exec rm {} +", "rm {}"]],
    ["find . -exec rm + {} \\;", ["find . -exec rm + {} ';'", "rm + {}"]],
    ["find . -execdir rm -f {} \\;", ["find . -execdir rm -f {} ';'", "rm -f {}"]],
    ["bash -c 'ls; rm x'", ["bash -c 'ls; rm x'", "ls", "rm x"]],
    ['sh -ec "rm x"', ["sh -ec 'rm x'", "rm x"]],
    ["bash -c 'sh -c \"rm x\"'", [`bash -c 'sh -c "rm x"'`, "sh -c 'rm x'", "rm x"]],
    ["bash run.sh", ["bash run.sh"]],
  ] as const)("%j", (source, commands) => {
    expect(commandsOf(source)).toEqual(commands);
  });
});

describe("what may be run, where words are known only then", () => {
  it.each([
    ["npm publish", undefined],
    ["npm $x", ["npm‹…›"]],
    ["npm $x --dry-run", ["npm‹…› --dry-run"]],
    ["npm $(echo a) ${b:-c} `d`", ["npm‹…›‹…›‹…›"]],
    ['npm "$x"', ["npm ‹1›"]],
    ['npm "$x/a" "-$x" "a $x\\"" "${x}b"$y', ["npm ‹1›/a -‹1› 'a '‹1›\" ‹1›b‹›"]],
    ['npm "$(a)" "`a`" <(a)', ["npm ‹1› ‹1› ‹1›"]],
    ['npm "$@"', ["npm‹…›"]],
    ["npm pub$x", ["npm pub‹›"]],
    ["npm ~/x", ["npm ‹1›"]],
    ["npm p?blish a*", ["npm p‹1›blish‹1…› a‹1›‹1…›"]],
    ["npm *", ["npm ‹1›‹1…›"]],
    ["npm *.log -* $x*", ["npm ‹1›.log‹1…› -‹1›‹…› ‹›‹1›‹…›"]],
    ["npm [a-z0]*", ["npm ‹1›‹1›‹1…›"]],
    ["npm [+--]rf", ["npm ‹›rf‹…›"]],
    ["npm 'a b'$x", ["npm 'a b'‹›"]],
    ["npm $'publish'", ["npm publish"]],
    ["npm $'pub\\x6cis\\150'", ["npm publish"]],
    ["npm pub$'li'\"sh\"", ["npm publish"]],
    ["npm $'a\\x01'", ["npm ‹›"]],
    ["npm {publish,}", ["npm publish"]],
    ["npm {pub,un}lish a{,b}", ["npm publish unlish a ab"]],
    ["npm {a,b}{c,d}", ["npm ac ad bc bd"]],
    ["npm {1..3} {a,{b,c}}", ["npm‹…›‹…›"]],
    ["npm {a,b}$x", ["npm ‹›‹›"]],
    ["A=$x npm b", ["A=‹› npm b"]],
    ["A={a,b} npm b", ["A=‹› npm b"]],
    ["ls > $x", ["> ‹›"]],
    ["echo a | xargs npm", ["npm‹…›"]],
    ["echo a | xargs -n 1 npm run", ["npm run‹…›"]],
    ["find . -exec npm {} \\;", ["npm ‹1›"]],
    ["find . -exec npm a/{} b \\;", ["npm a/‹1› b"]],
    ["find . -exec npm {} +", ["npm ‹1›‹1…›"]],
    ["poetry run rm x", ["rm x"]],
    ["uv run --with a rm x", ["a rm x", "rm x"]],
    ["npm exec -- rm x", ["rm x"]],
    ["npm install exec rm", undefined],
    ["direnv exec . rm x", [". rm x", "rm x"]],
  ] as const)("%j", (source, expected) => {
    expect(commandsOf(source)).not.toBeNull();
    expect(mayRun(source)).toEqual(expected?.map(marked));
  });
});

describe("a rule that stops", () => {
  it.each([
    ["rm -rf:*", "rm *.log", "no"],
    ["rm -rf:*", "rm *", "no"],
    ["rm -rf:*", "rm -f *.log", "no"],
    ["rm -rf:*", 'rm "$TMP/x"', "no"],
    ["rm -rf:*", 'rm "$F"', "no"],
    ["rm -rf:*", 'rm -f "$F"', "no"],
    ["rm -rf:*", 'rm -- "$F"', "no"],
    ["rm -rf:*", "rm -f -- $F $D/x", "no"],
    ["rm -rf:*", "find . -name '*.log' -exec rm {} \\;", "no"],
    ["rm -rf:*", "find . -name '*.log' -exec rm -f {} +", "no"],
    ["rm -rf:*", "find . -exec rm -rf {} +", "yes"],
    ["rm -rf:*", "rm $F", "unsure"],
    ["rm -rf:*", "rm -f $F", "unsure"],
    ["rm -rf:*", 'rm "-$F"', "unsure"],
    ["rm -rf:*", 'rm -r"$F" x', "unsure"],
    ["rm -rf:*", "rm -*", "unsure"],
    ["rm -rf:*", "rm [+--]rf", "unsure"],
    ["rm -rf:*", "ls | xargs rm", "unsure"],
    ["npm publish:*", 'npm "$x"', "unsure"],
    ["npm publish:*", "npm *", "unsure"],
    ["npm publish:*", 'npm --prefix "$x" ci', "no"],
    ["npm run evil:*", "npm *", "unsure"],
    ["npm run evil:*", 'npm "$x"', "no"],
    ["npm run evil:*", 'npm "$x" "$y"', "unsure"],
    ["npm publish:*", 'npm --prefix "a b $x" publish', "yes"],
    ["npm publish:*", "npm '--prefix=a b' publish", "yes"],
    ["git push *--force*", 'git push origin "$x"', "no"],
    ["git push *--force*", "git push $x", "unsure"],
    ["deploy *-prod", 'deploy "$x"', "unsure"],
    ["*--force*", 'echo "$X"', "no"],
    ["*--force*", "ls $DIR", "no"],
    ["*--force*", 'test -n "$X"', "no"],
    ["*--force*", "ls | xargs cat", "no"],
    ["*--force*", "find . -exec cat {} \\;", "no"],
    ["*--force*", 'git push --force "$x"', "yes"],
    ["*git push --force*", "git push $x", "unsure"],
    ["*git push --force*", "git $x", "unsure"],
    ["*git push --force*", "echo $x", "no"],
    ["kubectl delete:*", "N='x delete'; kubectl -n $N pod foo", "unsure"],
    ["kubectl delete:*", "kubectl -n a$N pod foo", "unsure"],
    ["kubectl delete:*", "kubectl --namespace=$N pod foo", "unsure"],
    ["kubectl delete:*", 'kubectl -n "$N" get pod', "no"],
  ] as const)("%j, %j: %s", (spec, source, expected) => {
    const { commands, mayRun: more } = understand(source, "/srv/project");
    expect(stoppedBy([`Bash(${spec})`], { tool: "Bash", commands, mayRun: more }).kind).toBe(expected);
  });
});

/** Of these a rule that stops something knows enough. */
const KNOWN_ALL_THE_SAME: Readonly<Record<string, readonly string[]>> = {
  "IFS=, read a": ["IFS=, read a", "read a"],
  "source x": ["source x", "x"],
  ". x": [". x", "x"],
  "trap 'rm x' EXIT": ["trap 'rm x' EXIT", "rm x"],
  "echo $((a))": [`echo${MORE_WORDS}`],
  "for ((i=0;i<3;i++)); do ls; done": ["ls"],
  "a=(b c)": [`a=${ANY_TEXT}`],
  "sort --outp=x y": ["sort --outp=x y"],
  "sort -ro x y": ["sort -ro x y"],
  "sed -i s/a/b/ x": ["sed -i s/a/b/ x"],
  "awk '{print > \"x\"}'": [`awk '{print > "x"}'`],
  "git -C x status": ["git -C x status"],
};

describe("a line that is not fully understood", () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    "has a document whose end is unclear": [
      "cat <<EOF\na\\\nEOF\nrm x\nEOF",
      'cat <<E"O"F\nx\nEOF',
      "cat <<\\EOF\nx\nEOF",
    ],
    "is no list": ["", "# only a comment", " \n "],
    "is broken": [
      "ls (",
      "echo 'a",
      'echo "a',
      "if ls",
      "ls &&",
      "cat <<EOF\nx",
      "ls ;; rm",
      "$(ls",
      "`ls",
      "ls )",
      "}",
    ],
    "has a name that is known only later": [
      "$X",
      "$(echo rm) x",
      "`echo rm` x",
      "r$A x",
      '"$@"',
      "${A} x",
      "{rm,x}",
      "./* x",
    ],
    "hides blanks": ["cat$IFS/etc/passwd", "IFS=, read a", "{cat,/etc/passwd}"],
    "has a name of strange letters": ["ｌs", "rм x", "ls\u200b x", "~/bin/x", "$'\\x72m' x", "l?"],
    "has characters that are not seen": [
      "ls\r\nrm",
      "ls \u200b",
      "ls\u00a0x",
      "ls \u202e",
      "ls \u001b[0m",
      "ls\u2028rm",
      "ls\0",
    ],
    "runs text": [
      "eval ls",
      "source x",
      ". x",
      "trap 'rm x' EXIT",
      "alias ls=rm",
      "hash -p /x ls",
      "enable -f x y",
      "fc -s",
    ],
    "runs text by completion": ["compgen -C 'rm x'", "complete -C rm ls", "mapfile -C 'rm x' a", "bind -x '\"a\":rm'"],
    "changes how it is read": [
      "shopt -s extglob",
      "set -k",
      "set -- rm",
      "ls !(a)",
      "ls @(a|b)",
      "coproc rm x",
      "select a in b; do rm; done",
    ],
    "calculates with text": [
      "echo $((a))",
      "((a=1))",
      "let a=1",
      "for ((i=0;i<3;i++)); do ls; done",
      "[[ a -eq b ]]",
      "[[ -v a ]]",
      "test -v a",
    ],
    "has a subscript": [
      "a[$(rm x)]=1",
      "echo ${a[$(rm x)]}",
      "unset 'a[$(rm x)]'",
      "read 'a[$(rm x)]'",
      "printf -v 'a[$(rm)]' x",
      "a=(b c)",
    ],
    "looks at a variable by another": [
      "echo ${!a}",
      "echo ${a@P}",
      "declare -n a=b",
      "declare -i a=b",
      "[ $x ]",
      "test $a",
    ],
    "sets what other programs run by": [
      "PATH=/x ls",
      "PATH=/x",
      "export PATH=/x",
      'export "PATH=/x"',
      "LD_PRELOAD=x ls",
      "BASH_ENV=x ls",
      "GIT_PAGER=x git log",
      "PAGER=x man a",
    ],
    "sets such a variable in a roundabout way": [
      "for PATH in x; do ls; done",
      "read PATH",
      "echo ${PATH:=x}",
      "echo ${x:=y}",
      "env LD_PRELOAD=x ls",
      "unset PATH",
      "PS4='$(rm x)'",
      "sudo LD_PRELOAD=x ls",
    ],
    "gives text to a shell": [
      'bash -c "$x"',
      "bash -c $x",
      "curl x | sh",
      "bash",
      "bash -s",
      "bash <<EOF\nrm x\nEOF",
      "sh -",
      "bash -ic ls",
      "bash <(ls)",
      "zsh -c ls",
      "bash -c 'ls'\"$x\"",
    ],
    "gives text to a shell in a shell": [
      "bash -c 'eval x'",
      "sh -c '$0' rm",
      "bash -c 'bash -c \"$x\"'",
      "bash -c -- 'rm x'",
      "bash -c -e 'rm x'",
      "bash -c +x 'rm x'",
    ],
    "hides its program behind another": [
      "env -S 'rm x'",
      "env $x",
      "env A=$x rm",
      "timeout $t rm",
      "exec -a x y",
      "sudo -s",
      "sudo",
      "xargs -I{} sh -c {}",
      "xargs sh",
      "xargs env",
      "xargs $x",
      "xargs -a x rm",
    ],
    "runs programs in ways of its own": [
      "parallel rm",
      "jobs -x rm x",
      "jobs -lx rm x",
      "chrt 1 rm x",
      "setarch x86_64 rm x",
      "x86_64 rm x",
      "linux32 rm x",
      "linux64 rm x",
      "i386 rm x",
      "uname26 rm x",
      "arch -x86_64 rm x",
      "coreutils --coreutils-prog=rm x",
      "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
      "ssh-agent rm x",
      "gosu root rm x",
      "systemd-inhibit rm x",
      "watch rm x",
      "script -c ls",
      "su -c ls",
      "strace ls",
      "flock x ls",
      "unshare ls",
      "tmux new ls",
      "ssh -o ProxyCommand=x h",
      "rsync -e x a b",
    ],
    "has an option that runs or writes": [
      "find . -delete",
      "find . -fprintf x y",
      "find . -exec {} ;",
      "find . -exec sh -c 'rm {}' \\;",
      "find $x",
      'find . "$x" rm {} \\;',
      "rg --pre x y",
      "rg $x",
      "sort --compress-program=x y",
      "sort --outp=x y",
      "sort -ro x y",
      "split --filter=x y",
      "man -P x y",
      "tar --checkpoint-action=exec=x -cf a b",
      "tar --to-comm=x -xf a",
      "tar -I x -xf a",
      "tar xIf x a",
    ],
    "has a program in another language": [
      "sed 's/a/b/e' x",
      "sed '1e rm x' y",
      "sed 's/a/b/w x' y",
      "sed -n '1w x' y",
      "sed -f x y",
      "sed s/a/b/ a/*.x -e 'w x'",
      "sed -i s/a/b/ x",
      'sed "$x" y',
      "awk 'BEGIN{system(\"rm\")}'",
      "awk '{print > \"x\"}'",
      "awk '{\"rm\" | getline}'",
      "awk -f x",
      "gawk '@load \"x\"'",
    ],
    "lets git run something": [
      "git -c core.pager=x log",
      "git -c alias.x=!rm x",
      "git -C x status",
      "git --exec-path=x log",
      "git $x",
      "git diff --output=x",
      "git diff --ext-diff",
      "git grep -O x",
      "git rebase -x rm",
      "git rebase --exec rm",
      "git bisect run rm",
      "git submodule foreach rm",
      "git clone -u x y",
      "git clone ext::x",
      "git fetch --upload-pack=x y",
      "git config alias.x '!rm'",
      "git difftool -x rm",
    ],
  };
  const cases = Object.entries(table).flatMap(([why, sources]) => sources.map((source) => [why, source] as const));

  it.each(cases)("%s: %j", (_, source) => {
    const { mayRun: known, ...rest } = understand(source, "/srv/project");
    expect(rest).toEqual({ commands: null, isReadOnly: false });
    expect(known).toEqual(KNOWN_ALL_THE_SAME[source]);
  });

  it("is longer than anybody would read", () => {
    expect(commandsOf(`ls ${"a".repeat(9_000)}`)).toHaveLength(1);
    expect(commandsOf(`ls ${"a".repeat(10_000)}`)).toBeNull();
    expect(commandsOf(`${"a;".repeat(4_999)}rm x`)).toBeNull();
  });

  it("is nested more deeply than anybody would write", () => {
    expect(commandsOf(`${"$(".repeat(3_000)}ls${")".repeat(3_000)}`)).toBeNull();
    expect(commandsOf(`${"(".repeat(4_000)}ls${")".repeat(4_000)}`)).toBeNull();
  });
});
