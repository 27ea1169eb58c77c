// Directories for tests, gone when the test is.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh directory that the account PostgreSQL runs under can enter too. */
export function makeTemp(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `comptoir-${name}-`))
  chmodSync(path, 0o711)
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** A fresh data directory, with what `npm test` prepared for all of them, or for a lane. */
export function makeDataDir(
  name: string,
  seed = process.env.COMPTOIR_TEST_SEED,
): { path: string; remove(): void } {
  const temp = makeTemp(name)
  fillDataDir(temp.path, seed)
  return temp
}

/**
 * Puts what `npm test` prepared into a directory, so that no test has to set PostgreSQL up and install `base`
 * again. Nothing without it.
 */
export function fillDataDir(path: string, seed = process.env.COMPTOIR_TEST_SEED): void {
  if (!seed) return
  mkdirSync(path, { recursive: true, mode: 0o711 })
  // `cp -a` keeps the owners, as PostgreSQL may run under an account of its own.
  const { status, stderr } = spawnSync('cp', ['-a', `${seed}/.`, path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The prepared data directory cannot be copied: ${stderr}`)
}
