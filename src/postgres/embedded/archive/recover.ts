// Recovers copied files to a moment: PostgreSQL reads the archive from a base backup on, stops at the target,
// and ends; it accepts no connections meanwhile.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../../errors.ts'
import { program } from '../binaries.ts'
import { readPidFile } from '../pid.ts'
import type { Place } from '../place.ts'
import { freePort, processOptions, signalServer } from '../postmaster.ts'

/** Target of a recovery: a moment, a named point, or null for the end of the log. */
export type Target = { readonly time: Date } | { readonly point: string } | null

export interface Recovery {
  readonly wal: string
  /** The timeline to follow; null for that of the base backup. */
  readonly timeline: number | null
  readonly target: Target
  /** Path of the server's log. */
  readonly log: string
  /** Called with the number of segments that were read so far. */
  readonly onProgress: (segments: number) => void
}

export interface Recovered {
  /**
   * Commit time of the last recovered transaction, as PostgreSQL prints it; null if there was none since the
   * base backup.
   */
  readonly last: string | null
  readonly segments: number
}

/** Recovers the files of a place, which hold a base backup. Throws StartupError, with the reason. */
export async function recover(place: Place, recovery: Recovery): Promise<Recovered> {
  const log = openSync(recovery.log, 'a', 0o600)
  const before = readFileSync(recovery.log).length
  const settings = {
    ...targetOf(recovery.target),
    restore_command: restoreCommand(recovery.wal),
    recovery_target_timeline: recovery.timeline ?? 'current',
    // There are no queries during recovery, so limits of the original server do not matter.
    hot_standby: 'off',
    archive_mode: 'off',
  }
  const child = spawn(
    program(place.installation, 'postgres'),
    [
      ...['-D', place.pgdata, '-h', '127.0.0.1', '-p', String(await freePort(0))],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...processOptions(place), stdio: ['ignore', log, log] },
  )
  closeSync(log)
  const over = { now: false }
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  }).then(() => {
    over.now = true
  })
  const newOutput = () => readFileSync(recovery.log).subarray(before).toString('utf8')
  while (!over.now && readPidFile(place.pgdata)?.ready !== true) {
    await sleep(200)
    recovery.onProgress(count(newOutput()))
  }
  if (over.now) throw new StartupError(recoveryFailure(newOutput(), recovery))
  signalServer(child.pid ?? 0, 'SIGINT')
  await ended
  const text = newOutput()
  const last = /last completed transaction was at log time (.+)/.exec(text)?.[1]
  return { last: last ?? null, segments: count(text) }
}

const count = (log: string): number => log.split('restored log file "').length - 1

function targetOf(target: Target): Record<string, string> {
  if (target === null) return {}
  const stop = { recovery_target_action: 'promote' }
  return 'time' in target
    ? { ...stop, recovery_target_time: target.time.toISOString().replace('T', ' ').replace('Z', '+00') }
    : { ...stop, recovery_target_name: target.point }
}

/** Segments may be packed; histories of timelines are not. A missing file ends the log. */
function restoreCommand(wal: string): string {
  const file = `${quoted(wal)}/%f`
  return `if [ -f ${file}.gz ]; then exec gzip -dc ${file}.gz > "%p"; elif [ -f ${file} ]; then exec cp ${file} "%p"; else exit 1; fi`
}

const quoted = (path: string): string => `'${path.replaceAll('%', '%%').replaceAll("'", `'\\''`)}'`

/** The message for a recovery that PostgreSQL gave up. */
function recoveryFailure(log: string, { target, log: path }: Recovery): string {
  const last = /last completed transaction was at log time (.+)/.exec(log)?.[1]
  if (log.includes('recovery ended before configured recovery target was reached'))
    return target && 'point' in target
      ? `The archive holds no restore point ${target.point} after this base backup.`
      : `The archive ends before this moment${last ? `: its last transaction is of ${last}` : ''}. Leave --to out for all there is.`
  const lines = log.trimEnd().split('\n')
  const why = lines.findLast((line) => line.includes('FATAL:')) ?? lines.slice(-4).join(' ')
  return `PostgreSQL could not recover (${path}): ${why}`
}
