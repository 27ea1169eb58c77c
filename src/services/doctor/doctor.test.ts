// Findings of the doctor about clocks that differ, archives that are behind, and stores of files that do not
// do what is asked of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { startStore, type TestStore } from '../../../test/support/s3.ts'
import type { Databases } from '../../databases/index.ts'
import type { Connection } from '../../postgres/index.ts'
import { archive } from './archive.ts'
import { clocks } from './connection.ts'
import { files } from './files.ts'
import { findingsOf } from './finding.ts'
import { server } from './server.ts'

let store: TestStore
before(async () => {
  store = await startStore()
})
after(() => store?.close())

/** A server whose clock is so many milliseconds fast. */
const serverAhead = (ms: number) => ({ query: async () => [[Date.now() + ms]] }) as unknown as Connection

test('doctor: clocks that differ are found, whichever is fast', async () => {
  for (const [ms, severity, words] of [
    [0, 'good', /agree/],
    [5000, 'advice', /^(?:4|5)\d{3} ms apart$/],
    [-5000, 'advice', /^(?:4|5)\d{3} ms apart$/],
    [-3_600_000, 'wrong', /ms apart$/],
  ] as const) {
    const finding = await clocks(serverAhead(ms))
    assert.equal(finding.verdict, severity, JSON.stringify(finding))
    assert.match(finding.found, words)
  }
})

test('doctor on the archive: reports its lag, and missing writes; without an archive it says nothing', async () => {
  const look = (state: object | null) => archive({ backupState: async () => state } as unknown as Databases)
  assert.deepEqual(await look(null), [])
  const [good] = await look({ failing: null, lagSeconds: 12.3 })
  assert.deepEqual(
    [good?.verdict, good?.found],
    ['good', 'the oldest write that is not archived is 12 s old'],
  )
  const [wrong] = await look({ failing: 'writes of the last 300 s are not archived', lagSeconds: 300 })
  assert.deepEqual([wrong?.verdict, wrong?.found], ['wrong', 'writes of the last 300 s are not archived'])
})

test('doctor on a server: no limit is called unlimited, and what that may do is said', async () => {
  const role = ['shop', false, true, 160_000, '16', false, true, true]
  const query = async (_text: string, values?: readonly [readonly string[]]) =>
    values ? values[0].map((name) => [name, name === 'temp_file_limit' ? '-1024' : '100']) : [role]
  const demand = { connections: 10, sum: '10', isEmbedded: false, isRemote: true }
  const findings = await server({ query } as unknown as Connection, demand)
  const limit = findings.find(({ check }) => check === 'temp_file_limit')
  assert.deepEqual([limit?.verdict, limit?.found], ['advice', 'unlimited'])
  assert.match(String(limit?.change), /temp_file_limit = '2GB'/)
})

test('a store of files is tried out, and leaves nothing', async () => {
  const options = (change: object = {}) =>
    ({
      options: { store: { place: store.place, credentials: { ...store.credentials, ...change } } },
    }) as unknown as Databases
  const look = async (change?: object) => (await files(options(change)))[0]
  assert.deepEqual(await files({ options: {} } as unknown as Databases), [])
  const well = await look()
  assert.match(String(well?.found), /^files at http:.*: sent and read in \d+ ms$/)
  assert.notEqual(well?.verdict, 'wrong')
  assert.equal(store.objects.size, 0)
  const stranger = await look({ secretAccessKey: 'another' })
  assert.equal(stranger?.verdict, 'wrong')
  assert.match(String(stranger?.found), /403 SignatureDoesNotMatch/)
  store.bare = true
  const bare = await look()
  assert.equal(bare?.verdict, 'wrong')
  assert.match(String(bare?.found), /404 NoSuchBucket/)
  store.bare = false
})

test('what a store of files refuses is named with what to change', async () => {
  const options = { options: { store: { place: store.place, credentials: store.credentials } } }
  const look = async () => (await files(options as unknown as Databases))[0]
  for (const [status, code, change] of [
    [404, 'NoSuchBucket', /^Create the bucket/],
    [403, 'RequestTimeTooSkewed', /^Set the clock/],
    [301, 'PermanentRedirect', /^Correct region/],
    [400, 'AuthorizationHeaderMalformed', /^Correct region/],
    [507, 'StorageFull', /^Make room/],
    [403, 'QuotaExceeded', /^Make room/],
    [403, 'SignatureDoesNotMatch', /^Check the credentials/],
    [403, 'AccessDenied', /^Allow the account/],
    [500, 'InternalError', /^Look at the state/],
  ] as const) {
    store.refusal = { status, code }
    const finding = await look()
    assert.equal(finding?.verdict, 'wrong')
    assert.match(String(finding?.found), new RegExp(`${status} ${code}$`))
    assert.match(String(finding?.change), change)
  }
  store.refusal = null
})

test('a check that fails says to use the role of the server only where rights are missing', async () => {
  const forbidden = Object.assign(new pg.DatabaseError('no', 2, 'error'), { code: '42501' })
  const changeAfter = async (error: Error) =>
    (await findingsOf('a check', () => Promise.reject(error)))[0]?.change
  assert.match(String(await changeAfter(forbidden)), /^Use the role/)
  assert.match(String(await changeAfter(new Error('The store is away'))), /^Correct that/)
})
