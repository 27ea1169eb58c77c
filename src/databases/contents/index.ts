// Which kind of place the contents of a server's databases have.
import type { ServerOptions } from '../options.ts'
import type { KeptContents } from '../recovery/contents.ts'
import type { Contents } from './contents.ts'
import { DirectoryContents } from './directory.ts'
import { S3 } from './s3.ts'
import { StoreContents } from './store.ts'

/**
 * The store of the options, or files for the embedded server. Several machines may share an external server,
 * so contents stay in its database; files in the directory are still read.
 */
export function contentsOf(
  { dataDir, store }: Pick<ServerOptions, 'dataDir' | 'store'>,
  isEmbedded: boolean,
  kept: KeptContents | null,
): Contents {
  const directory = new DirectoryContents(dataDir, isEmbedded && !store, kept)
  return store ? new StoreContents(new S3(store.place, store.credentials), directory) : directory
}
