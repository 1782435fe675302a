// The database's shape, step by step. A step that was released is never edited: a new one is added.
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attempt INTEGER,
    event TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, seq);

  CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    number INTEGER NOT NULL,
    root TEXT NOT NULL,
    parent TEXT,
    dispatch TEXT NOT NULL,
    priority INTEGER NOT NULL,
    not_before INTEGER,
    status TEXT NOT NULL,
    backend TEXT NOT NULL,
    holder TEXT,
    asking INTEGER NOT NULL,
    position INTEGER NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX tasks_by_number ON tasks (agent, number);
  CREATE INDEX tasks_by_root ON tasks (root);
  CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;
  CREATE INDEX tasks_pending ON tasks (priority DESC, ordinal) WHERE status = 'pending';
  CREATE INDEX tasks_by_status ON tasks (status, ordinal);
  CREATE INDEX tasks_by_holder ON tasks (holder) WHERE holder IS NOT NULL;
  CREATE INDEX tasks_asking ON tasks (ordinal) WHERE asking = 1;

  CREATE TABLE approvals (id TEXT PRIMARY KEY, task TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE numbers (agent TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE wanting (ticket INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE starts (at INTEGER NOT NULL) STRICT;
  CREATE INDEX starts_by_time ON starts (at);
  CREATE TABLE sessions (id TEXT PRIMARY KEY, view TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE workers (id TEXT PRIMARY KEY, worker TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE ledgers (task TEXT PRIMARY KEY, parent TEXT, ledger TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE reservations (id TEXT PRIMARY KEY, task TEXT NOT NULL, amount TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX reservations_by_task ON reservations (task);
  `,
  `
  ALTER TABLE reservations ADD COLUMN use TEXT NOT NULL DEFAULT 'call';
  `,
];
