// Variables by which a shell, or a program that it starts, comes to run something else.

const NAMES =
  /^(?:PATH|IFS|ENV|PS[0-4]|PROMPT_COMMAND|SHELL|SHELLOPTS|CDPATH|HOME|EXECIGNORE|GLOBIGNORE|TMPDIR|BASH.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|LESS.*|RIPGREP_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|.*_OPTIONS|.*OPTS|.*FLAGS|PYTHON.*|PERL.*|RUBY.*|NODE_.*|JAVA_.*|LUA_.*|npm_.*|NPM_.*|CARGO.*|RUST.*|GO[A-Z]*|CC|CXX|MAKE.*|.*_COMMAND|.*_PROXY|.*_proxy)$/;

/** Of these families, what says how a program works, or which files of the project it loads: no more than its arguments do. */
const USUAL =
  /^(?:NODE_(?:ENV|NO_WARNINGS|DEBUG)|PYTHON(?:PATH|UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8)|RUST_(?:BACKTRACE|LOG|TEST_THREADS)|CARGO_(?:TERM_COLOR|INCREMENTAL|TARGET_DIR)|GO(?:OS|ARCH|CACHE|PROXY|PRIVATE|MAXPROCS)|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|LFS_SKIP_SMUDGE)|TMPDIR|.*_PROXY|.*_proxy)$/;

/** Variables that name a program, or its options, and what they are set to so that nothing else is run. */
const WITH_VALUE: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:GIT_|MAN|GH_)?PAGER$/, /^(?:cat|less)?$/],
  [/^(?:GIT_|GIT_SEQUENCE_)?EDITOR$|^VISUAL$/, /^(?:true|:|cat)$/],
  [
    /^NODE_OPTIONS$/,
    /^(?:--(?:max-old-space-size=\d+|no-[a-z-]+|experimental-vm-modules|enable-source-maps|trace-[a-z-]+)(?: |$))+$/,
  ],
  [/^GOFLAGS$/, /^-(?:mod=(?:mod|vendor|readonly)|count=\d+|race|v)$/],
  [/^RUSTFLAGS$/, /^(?:-[ADW] ?[\w:-]+(?: |$))+$/],
  [/^JAVA_HOME$/, /^\/[\w./-]+$/],
  [/^(?:C|CXX|CPP|LD|RUST)FLAGS$/, /^(?:-(?:[OgWDL][\w=.-]*|l\w+|std=[\w+]+)(?: |$))+$/],
];

/** With a value, what people set every day is none of these: see `readScript` for whom that is. */
export function changesWhatRuns(name: string, value?: string): boolean {
  if (!NAMES.test(name)) return false;
  if (value === undefined) return true;
  return !USUAL.test(name) && !WITH_VALUE.some(([names, values]) => names.test(name) && values.test(value));
}
