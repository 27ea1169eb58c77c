// Adds entries to the sealed records whose chains are checked.
import type { SealedRecords } from '#engine'
import { extend, implement } from '#models'
import { sealedEntries } from './move/sealing.ts'

const chain = extend('comptoir.chain', { fields: {} })

export default implement(chain, {
  wrap: {
    sealed_records: (next) => async (chains, params) => [
      ...((await next(chains, params)) as readonly SealedRecords[]),
      sealedEntries,
    ],
  },
})
