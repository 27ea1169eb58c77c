// Commands of archived backups, and the folder that --backup-dir names.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { fillDataDir, makeTemp } from '../../test/support/temp.ts'

test('backup: commands act on the folder that the server archives into, and refuse another one', async (t) => {
  const temp = makeTemp('backup-folders')
  t.after(() => temp.remove())
  const [dir, folder] = [join(temp.path, 'data'), join(temp.path, 'backups')]
  fillDataDir(dir)
  const backup = (name: string, to: string) =>
    runHere('backup', ...name.split(' '), '--data-dir', dir, '--backup-dir', to)
  const first = await backup('init', folder)
  assert.equal(first.code, 0, first.err)
  for (const name of ['base', 'prune', 'point before']) {
    const refused = await backup(name, join(temp.path, 'elsewhere'))
    assert.equal(refused.code, 1, name)
    assert.match(refused.err, /The server archives into .*backups, not into .*elsewhere/)
  }
  assert.equal((await backup('point before', folder)).code, 0)
})
