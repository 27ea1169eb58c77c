// Progress on a terminal and off it: a bar for people, silence for scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bar, withLines, withProgress } from './progress.ts'

test('the bar grows with what is done, and never beyond its width', () => {
  assert.equal(bar(undefined), '')
  assert.equal(bar(0.5), `${'█'.repeat(10)}${'░'.repeat(10)}  50 % `)
  assert.equal(bar(0.999), `${'█'.repeat(20)}  99 % `)
  for (const done of [-1, 0, 0.333, 1, 2]) assert.equal(/^[█░]*/.exec(bar(done))?.[0].length, 20)
})

test('nothing is written where there is no terminal, and failures come through', async () => {
  const written: string[] = []
  const output = {
    isTTY: false,
    write: (text: string) => written.push(text),
  } as unknown as NodeJS.WriteStream
  const result = await withProgress('Doing', async (progress) => progress('half', 0.5) ?? 'done', output)
  assert.equal(result, 'done')
  await assert.rejects(
    withProgress('Doing', () => Promise.reject(new Error('no')), output),
    /no/,
  )
  assert.deepEqual(written, [])
})

test('plain lines say what is begun, every two seconds what is done, and when it is over', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const written: string[] = []
  await withLines(
    'Doing',
    async (progress) => {
      progress('tables', 0.25)
      t.mock.timers.tick(2000)
      progress('data', 0.5)
      progress('sales', 0.75)
      t.mock.timers.tick(2000)
    },
    { write: (text: string) => written.push(text) > 0 },
  )
  assert.deepEqual(
    written.map((line) => line.replace(/\d+\.\d/, 'n')),
    ['Doing\n', '  n s, 25 %: tables\n', '  n s, 75 %: sales\n', '  done in n s\n'],
  )
})
