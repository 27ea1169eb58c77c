// The commands of README.md work: its marked blocks run in order with a fresh data directory.
// Begins first: it takes 6 s.
import assert from 'node:assert/strict'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/serve.ts'
import { fillDataDir, makeTemp } from '../support/temp.ts'
import { blocksOf, missing } from './blocks.ts'
import { Shell, shellEnv } from './shell.ts'

const temp = makeTemp('readme')
const shell = new Shell(temp.path)
after(async () => {
  await shell.stop()
  temp.remove()
})

test('README: marked blocks of a page are read', () => {
  const text =
    'a\n<!-- run: background until "up" -->\n```sh\nnpm start\n```\n<!-- run -->\n```sh\nls\n```\n<!-- output contains -->\n```text\nx … z\n```\n'
  assert.deepEqual(
    blocksOf(text).map(({ commands, until, expected }) => [commands, until, expected]),
    [
      ['npm start', 'up', []],
      ['ls', null, ['x … z']],
    ],
  )
  assert.throws(() => blocksOf('<!-- run -->\ntext'), /not followed/)
  assert.equal(missing(['x … z'], 'a\nx y z\n'), null)
  assert.equal(missing(['x … z', 'a'], 'a\nx y z\n'), 'a')
})

test('README: its blocks run unchanged', async () => {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
  assert.ok(blocks.length >= 2, 'README.md has no blocks marked to be run')
  // As in a fresh clone: the project's files, but data and whatever the blocks write are in a directory of
  // their own.
  for (const name of [
    'bin',
    'src',
    'scripts',
    'node_modules',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.npmrc',
  ]) {
    symlinkSync(join(root, name), join(temp.path, name))
  }
  const port = await freePort()
  const variables = {
    ...shellEnv(temp.path),
    COMPTOIR_PORT: String(port),
    COMPTOIR_DATA_DIR: join(temp.path, 'data'),
  }
  fillDataDir(join(temp.path, 'data'))
  let key = ''
  for (const { line, commands, until, expected } of blocks) {
    // The reader of the README copies the key that the first run printed, and everybody else's server has
    // port 8069.
    const typed = commands
      .replaceAll('npm install && ', '')
      .replaceAll('127.0.0.1:8069', `127.0.0.1:${port}`)
      .replaceAll('YOUR_KEY', key)
    const { code, output } = await shell.run(typed, { ...variables, KEY: key }, until)
    assert.ok(
      until !== null ? output.includes(until) : code === 0,
      `README.md line ${line} ended with ${code}:\n${typed}\n${output}`,
    )
    const lacking = missing(expected, output)
    assert.ok(lacking === null, `README.md line ${line} does not print: ${lacking}\n${output}`)
    const file = / are in (\S+)$/m.exec(output)?.[1]
    if (file) key ||= /^API key\s+(\S+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  }
})
