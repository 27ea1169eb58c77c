// One clock: the engine and the modules ask the environment what time it is, so that a test can say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

const MACHINE =
  /\bnew Date\(\)|\bDate\.now\(|\bDateTime\.(?:now|local|utc)\(\)|\bCURRENT_(?:TIMESTAMP|DATE|TIME)\b|\bLOCALTIME/

test('engine, modules and access read no clock of the machine', () => {
  const rooms = sources().filter(({ path }) => /^src\/(?:models|modules|access|kit|sql)\//.test(path))
  assert.ok(rooms.length > 300)
  const wrong = rooms.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        MACHINE.test(line.replace(/\/\/.*|^\s*\*.*/, '')) ? [`${path}:${i + 1} ${line.trim()}`] : [],
      ),
  )
  assert.deepEqual(wrong, [])
})
