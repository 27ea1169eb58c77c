// The sources of an earlier commit, for comparison: a separate work tree with the packages of this one.
import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemp } from '../support/temp.ts'

const root = join(import.meta.dirname, '..', '..')
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })

/** A directory as it is, or a work tree of a commit, which `remove` takes away again. Throws what git says. */
export function checkoutOf(place: string): { readonly path: string; remove(): void } {
  if (existsSync(place)) return { path: place, remove: () => undefined }
  const temp = makeTemp('earlier')
  const path = join(temp.path, 'tree')
  git('worktree', 'add', '--detach', path, place)
  for (const name of ['node_modules', 'tools/node_modules'])
    if (existsSync(join(root, name)) && !existsSync(join(path, name)))
      symlinkSync(join(root, name), join(path, name))
  return {
    path,
    remove() {
      git('worktree', 'remove', '--force', path)
      temp.remove()
    },
  }
}
