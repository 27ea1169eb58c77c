// Runs the vendored runner over some cases and reads its report.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemp } from '../support/temp.ts'
import { adjustCases } from './adjusted.ts'
import { openBetween } from './between.ts'

const vendor = join(import.meta.dirname, 'vendor')

/** The result of the runner for one case. */
export interface CaseResult {
  readonly name: string
  /** Steps with an expectation. */
  readonly checks: number
  /** Steps that did not hold; of a case that broke off, also those never reached. */
  readonly failed: number
  readonly failures: readonly { readonly step: number; readonly what: string; readonly found: string }[]
}

export interface Target {
  readonly url: string
  readonly database: string
  readonly keyCommand: string
  readonly master?: string
  readonly login?: string
  readonly password?: string
}

/**
 * Replays the cases whose name matches `only`. `echo` passes the runner's lines on. Throws when the runner
 * itself fails.
 */
export async function replay(
  target: Target,
  only: string,
  options: { echo?: boolean; modules?: string } = {},
): Promise<CaseResult[]> {
  const temp = makeTemp('report')
  const report = join(temp.path, 'report.json')
  const args = [
    '--url',
    target.url,
    '--db',
    target.database,
    '--key-command',
    target.keyCommand,
    '--cases',
    adjustCases(join(vendor, 'cases'), temp.path),
    '--only',
    only,
    '--report',
    report,
  ]
  for (const name of ['master', 'login', 'password'] as const)
    if (target[name]) args.push(`--${name}`, target[name])
  if (options.modules) args.push('--modules', options.modules)
  try {
    const child = spawn(process.execPath, [join(vendor, 'run.mjs'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8')
        if (options.echo) process.stdout.write(chunk)
      })
    }
    await once(child, 'close')
    try {
      return JSON.parse(readFileSync(report, 'utf8')) as CaseResult[]
    } catch (cause) {
      throw new Error(`The runner gave no report:\n${said.slice(-4000)}`, { cause })
    }
  } finally {
    temp.remove()
  }
}

/**
 * Replays cases with `Accept: TYPE` on each request that says nothing of its own; with how many of those
 * there were.
 */
export async function replayAccepting(
  target: Target,
  type: string,
  only: string,
  options: { echo?: boolean; modules?: string } = {},
): Promise<{ readonly results: CaseResult[]; readonly asked: number }> {
  let replaced = 0
  const between = await openBetween(target.url, ({ headers, send }) => {
    // The Accept header that `fetch` sends by default.
    if (headers.accept !== '*/*') return send()
    replaced++
    return send({ accept: type })
  })
  try {
    return { results: await replay({ ...target, url: between.url }, only, options), asked: replaced }
  } finally {
    await between.close()
  }
}
