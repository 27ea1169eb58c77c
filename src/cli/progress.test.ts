// Progress on a terminal and off it: a bar for people, silence for scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bar, withProgress } from './progress.ts'

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
