// Files that a warm read and a cached write enter: docs/decisions/0066 says what each of them does.
// Own process: calls are counted for the whole process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkCalls } from './calls.ts'

/** Files, and functions (each time it goes on), that a read may enter whose form was asked before. */
const [MOST_FILES, MOST_ENTRIES] = [25, 206]

/**
 * Functions that a create and a write of a contact may enter by a cached plan (0072, 0074, 0078). Contacts
 * begin with seven choices of buying and billing that clients read: some forty of these. Whether values name
 * records that the caller may not read is fifteen of a create, and five of a write.
 */
const MOST_OF_WRITES = { 'create of a contact': 652, 'write of one field of a contact': 376 }

/** The same of other reads: files, and functions. */
const MOST_OF_READS: Readonly<Record<string, readonly [files: number, entries: number]>> = {
  read: [29, 200],
  search_count: [29, 212],
  name_search: [26, 199],
  formatted_read_group: [31, 252],
  export_data: [37, 246],
}

test('walks: warm reads and cached writes enter no more files and functions than listed', async () => {
  const { 'search_read, cold': cold, 'search_read, warm': warm, ...others } = await walkCalls()
  assert.ok(cold && warm && cold.files.size > MOST_FILES, 'the walk counts what is entered')
  for (const path of ['src/services/call.ts', 'src/models/read/request-keys.ts', 'src/postgres/batch.ts'])
    assert.ok(warm.files.has(path), `it comes by ${path}`)
  const files = [...warm.files.keys()].sort()
  assert.ok(files.length <= MOST_FILES, `${files.length} files:\n${files.join('\n')}`)
  assert.ok(warm.entries <= MOST_ENTRIES, `${warm.entries} functions`)
  for (const [name, most] of Object.entries(MOST_OF_WRITES)) {
    const walk = others[name]
    assert.ok(walk && walk.entries <= most, `${name}: ${walk?.entries} functions`)
    assert.ok(
      !walk.files.has('src/models/compute/derived.ts'),
      `${name}: nothing that is known was looked at`,
    )
  }
  for (const [name, [mostFiles, mostEntries]] of Object.entries(MOST_OF_READS)) {
    const { files: entered, entries } = others[`${name}, warm`] ?? warm
    assert.ok(
      entered.size <= mostFiles,
      `${name}: ${entered.size} files:\n${[...entered.keys()].sort().join('\n')}`,
    )
    assert.ok(entries <= mostEntries && entries !== warm.entries, `${name}: ${entries} functions`)
  }
})
