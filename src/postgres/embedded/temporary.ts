// A server for one run of tests: in a temporary directory, fast rather than durable, removed when stopped.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Admin } from '../admin.ts'
import type { Embedded } from './cluster.ts'
import { startEmbedded } from './cluster.ts'

/** Starts a server with an empty database `test`; `stop` also removes its files. */
export async function startTemporary(): Promise<Embedded & { readonly dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'comptoir-'))
  // Under root the server's account must get through; what is secret inside has its own permissions.
  await chmod(dataDir, 0o711)
  const server = await startEmbedded({ dataDir, durable: false, log: () => undefined })
  await new Admin(server).createDatabase('test')
  return {
    ...server,
    dataDir,
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
