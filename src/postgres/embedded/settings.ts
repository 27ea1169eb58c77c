// Settings of the embedded server: durable, for small machines. Written at every start, so that upgrades
// bring new ones; an administrator's own come by ALTER SYSTEM, which wins over this file.
import { type Archive, walIn } from './archive/folder.ts'

/**
 * Whole segments are copied by PostgreSQL's own module: synced, under their name when they are whole, and
 * never over another content. One that fills slowly is closed by the clock, which is what a lost machine
 * costs.
 */
const archiving = ({ folder, seconds }: Archive): Record<string, string | number> => ({
  archive_mode: 'on',
  archive_library: 'basic_archive',
  'basic_archive.archive_directory': walIn(folder),
  archive_timeout: seconds,
})

/** The text of comptoir.conf. `durable: false` trades the data's safety for speed: tests only. */
export function settings(durable: boolean, archive?: Archive): string {
  const values: Record<string, string | number> = {
    max_connections: 100,
    // A backup of many tables is restored in one transaction, which locks each of them: the lock table is
    // shared by all, and holds twenty-five thousand.
    max_locks_per_transaction: 256,
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    work_mem: '16MB',
    maintenance_work_mem: '64MB',
    random_page_cost: 1.1,
    jit: 'off',
    // Reads join a table for each many2one that they name. Planning 25 joins took 118 ms and 45 MB where
    // eight are ordered at a time, and takes 22 ms and 10 MB with four; 68 had no room in a process at all.
    join_collapse_limit: 4,
    // Temporary files of one statement, for sorting and hashing.
    temp_file_limit: '2GB',
    // Parallel workers take turns on two cores, and containers give them too little shared memory.
    max_parallel_workers_per_gather: 0,
    // A shop fits into memory: one process suffices to read in advance. There is no logical replication.
    io_workers: 1,
    max_logical_replication_workers: 0,
    // Copies of templates go through the log as whole pages: compressing them is most of what a new database
    // costs in a test.
    wal_compression: durable ? 'on' : 'off',
    // Few statements of a test run often enough for plans of their own values to pay.
    ...(durable ? {} : { plan_cache_mode: 'force_generic_plan' }),
    // Old segments of the log would be copied along with a data directory that is made once for many tests.
    wal_recycle: durable ? 'on' : 'off',
    max_wal_size: '1GB',
    // Plans that tests judge must not hang on the moment at which it looks at a table.
    autovacuum: durable ? 'on' : 'off',
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    // A statement whose client is gone ends soon and releases its locks, if the system reports closed
    // sockets.
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '10s' }),
    ...(archive ? archiving(archive) : {}),
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    // Passwords here are 128 bits and more of chance: no stretching makes them harder to guess, and every
    // connection would pay for it.
    scram_iterations: 1,
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    logging_collector: 'off',
    log_checkpoints: 'off',
    // Failing statements are the application's to log, without the values in them.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
  }
  const lines = Object.entries(values).map(
    ([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'`,
  )
  return `# Written by Comptoir at every start. Use ALTER SYSTEM for settings of your own.\n${lines.join('\n')}\n`
}
