// The manifest of a base backup in PostgreSQL's format (backup_manifest, version 2): every file with its
// size and SHA-256, and the log it needs.
import { createHash } from 'node:crypto'

export interface Listed {
  readonly path: string
  readonly size: number
  readonly sha256: string
  /** When it was copied. */
  readonly at: Date
}

interface Range {
  readonly timeline: number
  readonly start: string
  readonly end: string
}

/** The text of a manifest: its last line is the hash of those before it. */
export function manifestOf(system: string, files: readonly Listed[], ranges: readonly Range[]): string {
  const lines = files.map(({ path, size, sha256, at }) =>
    JSON.stringify({
      Path: path,
      Size: size,
      'Last-Modified': `${at.toISOString().slice(0, 19).replace('T', ' ')} GMT`,
      'Checksum-Algorithm': 'SHA256',
      Checksum: sha256,
    }),
  )
  const logs = ranges.map(({ timeline, start, end }) =>
    JSON.stringify({ Timeline: timeline, 'Start-LSN': start, 'End-LSN': end }),
  )
  const text = `{ "PostgreSQL-Backup-Manifest-Version": 2,
"System-Identifier": ${system},
"Files": [
${lines.join(',\n')}
],
"WAL-Ranges": [
${logs.join(',\n')}
],
`
  return `${text}"Manifest-Checksum": "${createHash('sha256').update(text).digest('hex')}"}\n`
}

/** Hashes of the files of a manifest, by their paths. Throws an Error for a damaged one. */
export function hashesIn(manifest: string): Map<string, string> {
  const end = manifest.lastIndexOf('"Manifest-Checksum"')
  const text = manifest.slice(0, end)
  const { Files: files, 'Manifest-Checksum': sum } = JSON.parse(manifest) as {
    Files: { Path: string; Checksum: string }[]
    'Manifest-Checksum': string
  }
  if (createHash('sha256').update(text).digest('hex') !== sum) throw new Error('The manifest is damaged.')
  return new Map(files.map(({ Path, Checksum }) => [Path, Checksum]))
}
