// Directories for tests, gone when the test is.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh directory that the account PostgreSQL runs under can enter too. */
export function makeTemp(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `comptoir-${name}-`))
  chmodSync(path, 0o711)
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}
