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
  `
  ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN is_expired INTEGER NOT NULL DEFAULT 0;
  UPDATE sessions SET
    agent = lower(replace(view ->> 'agent', '_', '-')),
    updated_at = view ->> 'updatedAt',
    view = json_set(view, '$.forkOf', NULL, '$.expiredAt', NULL);
  CREATE INDEX sessions_by_use ON sessions (updated_at, id) WHERE is_expired = 0;

  CREATE TABLE inbox (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    root TEXT NOT NULL,
    is_unread INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    item TEXT NOT NULL
  ) STRICT;
  CREATE INDEX inbox_by_task ON inbox (task);
  CREATE INDEX inbox_by_root ON inbox (root, ordinal);
  CREATE INDEX inbox_waiting ON inbox (ordinal) WHERE is_unread = 1 OR is_open = 1;
  `,
  `
  ALTER TABLE tasks ADD COLUMN lane TEXT;
  UPDATE tasks SET state = json_set(state, '$.kept', NULL);
  CREATE INDEX tasks_by_lane ON tasks (lane, priority DESC, ordinal) WHERE status = 'pending';
  CREATE INDEX tasks_writing ON tasks (lane) WHERE holder IS NOT NULL AND lane IS NOT NULL;
  `,
  // What a task needs is asked at every claim, and most need nothing. Positions are given without SQLite's own count of
  // them, which is one more page to write at every commit.
  `
  ALTER TABLE tasks ADD COLUMN needs TEXT;
  UPDATE tasks SET needs = spec -> '$.needs' WHERE json_array_length(spec, '$.needs') > 0;

  CREATE TABLE events_again (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attempt INTEGER,
    event TEXT NOT NULL
  ) STRICT;
  INSERT INTO events_again SELECT position, stream, seq, at, attempt, event FROM events ORDER BY position;
  DROP TABLE events;
  ALTER TABLE events_again RENAME TO events;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, seq);
  `,
  // Every event stood in an index under its stream's whole name, and those of one commit on as many pages as it had streams.
  // Numbers are given in their order, so those in use stand together. A reservation is found by its task, which is known.
  `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  INSERT INTO streams (name) SELECT stream FROM events GROUP BY stream ORDER BY min(position);

  CREATE TABLE events_again (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attempt INTEGER,
    event TEXT NOT NULL
  ) STRICT;
  INSERT INTO events_again
    SELECT position, streams.id, seq, at, attempt, event FROM events CROSS JOIN streams ON name = stream ORDER BY position;
  DROP TABLE events;
  ALTER TABLE events_again RENAME TO events;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, seq);

  CREATE TABLE reservations_again (
    task TEXT NOT NULL,
    id TEXT NOT NULL,
    amount TEXT NOT NULL,
    use TEXT NOT NULL,
    PRIMARY KEY (task, id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO reservations_again SELECT task, id, amount, use FROM reservations;
  DROP TABLE reservations;
  ALTER TABLE reservations_again RENAME TO reservations;

  DROP INDEX starts_by_time;
  `,
  // A reservation is made and settled together with a change of its task's ledger: it is a part of that. Who holds a task is told
  // by the index of those that are held, which is written anyway.
  `
  ALTER TABLE ledgers ADD COLUMN open TEXT NOT NULL DEFAULT '[]';
  UPDATE ledgers SET open = (
    SELECT json_group_array(json_object('id', id, 'amount', json(amount), 'use', use)) FROM reservations
    WHERE reservations.task = ledgers.task
  ) WHERE task IN (SELECT task FROM reservations);
  DROP TABLE reservations;

  DROP INDEX tasks_by_holder;
  DROP INDEX tasks_by_status;
  CREATE INDEX tasks_by_status ON tasks (status, ordinal, holder);
  `,
  // Nobody had told what is only a bound, nor last words from turns, nor calls from what else is reserved. The log may hold `results.shortened`, too, and whoever
  // does not know it would show a model, and count as a task's status, what is not so: a process from before stops here.
  `
  UPDATE ledgers SET ledger = json_insert(ledger, '$.calls', json('{"microUsd":0,"tokens":0}'));
  UPDATE tasks SET state = json_insert(
    state,
    '$.graceTurns', 0,
    '$.bound', json('{"microUsd":0,"tokens":0}'),
    '$.usage', json('{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0}'),
    '$.models', json('[]'),
    '$.areTokensKnown', json('true')
  );
  `,
  // Nobody had told wholes from what else is reserved, nor counted the messages that are not heard yet. A row may be behind the
  // log: what comes after it is counted then.
  `
  UPDATE ledgers SET ledger = json_insert(ledger, '$.wholes', json('{"microUsd":0,"tokens":0}'));
  UPDATE tasks SET state = json_insert(state, '$.unheard', json((
    SELECT json_group_array(json_object('control', position, 'by', said ->> 'by', 'text', text)) FROM (
      SELECT * FROM (
        SELECT events.position, event AS said, substr(replace(event ->> 'text', char(10), ' '), 1, 200) AS text
        FROM streams CROSS JOIN events ON stream = streams.id
        WHERE name = 'control:' || tasks.id AND event ->> 'type' = 'message.sent'
          AND events.position > state ->> 'heardThrough' AND events.position <= tasks.position
        ORDER BY events.position DESC LIMIT 1000
      ) ORDER BY position
    )
  )));
  `,
];
