// A kill amid creating, copying, restoring, dropping or renaming a database leaves whole databases and
// nothing else.
// Begins first: it takes 15 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KilledOperations, OPERATIONS, REACH, randomFrom } from './kill-databases.ts'
import { canLook } from './processes.ts'

test('SIGKILL of process and PostgreSQL: the list of databases stays consistent and usable', {
  skip: !canLook && 'needs /proc',
}, async (t) => {
  const killed = new KilledOperations()
  t.after(() => killed.close())
  await killed.prepare()
  const random = randomFrom(6)
  for (const operation of OPERATIONS) {
    const { at, wrong } = await killed.round(operation, random() * REACH)
    assert.deepEqual(wrong, [], `${operation} at ${at}`)
  }
})
