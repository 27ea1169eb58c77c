// The store that contents of attachments are kept in, where there is one: whether it takes, gives, copies,
// lists and removes what it is sent.
import { type Databases, probeStore } from '../../databases/index.ts'
import { messageOf } from '../../kit/caught.ts'
import { assess, type Finding } from './finding.ts'

/** Checks the store of files. */
export async function files({ options: { store } }: Databases): Promise<Finding[]> {
  if (!store) return []
  const { endpoint, bucket } = store.place
  const where = `${bucket} at ${endpoint}`
  try {
    const ms = Math.round(await probeStore(store))
    return [
      assess('files', `${where}: sent and read in ${ms} ms`, [
        ms > 500,
        'advice',
        'A store closer to the nodes is faster: each new file is uploaded before the call commits.',
      ]),
    ]
  } catch (error) {
    const why = messageOf(error instanceof Error && error.cause ? error.cause : error)
    const change =
      'Check --files and its credentials: the bucket must be there, and the account list it, get, put and delete.'
    return [assess('files', `${where}: ${why}`, [true, 'wrong', change])]
  }
}
