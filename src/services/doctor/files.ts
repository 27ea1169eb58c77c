// The store that contents of attachments are kept in, where there is one: whether it takes, gives, copies,
// lists and removes what it is sent.
import { type Databases, probeStore, StoreRefusal } from '../../databases/index.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { messageOf } from '../../kit/caught.ts'
import { assess, type Finding } from './finding.ts'

/** Advice by the status and the code of an answer; the first that fits. */
const REMEDIES: readonly (readonly [answer: RegExp, change: string])[] = [
  [
    /NoSuchBucket/,
    'Create the bucket, or correct its name in --files. Contents of one that was removed are gone: restore a backup.',
  ],
  [
    /TooSkewed|Expired/,
    'Set the clock of this machine, or that of the store (NTP): they may differ by 15 minutes at most.',
  ],
  [
    /^30\d|HeaderMalformed|QueryParametersError|LocationConstraint/,
    'Correct region and endpoint in --files: the bucket is in another region.',
  ],
  [
    /^507|Full|Quota|Insufficient/,
    'Make room in the store, or raise its quota: new files are refused until then.',
  ],
  [
    /SignatureDoesNotMatch|InvalidAccessKeyId|InvalidToken/,
    'Check the credentials: --files-credentials-file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  ],
  [/^(?:401|403)/, 'Allow the account to list the bucket, and to get, put and delete objects.'],
  [/^(?:5\d\d|429)/, 'Look at the state and the log of the store: it fails, or is overloaded.'],
]
const REACH =
  'Check the endpoint in --files, and whether the store runs and can be reached from this machine.'
const BEHAVIOUR = 'Check --files: this is not, or not quite, a store that speaks the protocol of S3.'

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
    const cause = error instanceof ServiceUnavailable ? error.cause : null
    const why = messageOf(cause ?? error)
    const change = cause instanceof StoreRefusal ? remedyFor(cause) : cause ? REACH : BEHAVIOUR
    return [assess('files', `${where}: ${why}`, [true, 'wrong', change])]
  }
}

const remedyFor = ({ status, code }: StoreRefusal): string =>
  REMEDIES.find(([answer]) => answer.test(`${status} ${code}`))?.[1] ?? BEHAVIOUR
