// All side channels, by subject.

import { commandProbes } from './commands.ts'
import { fieldProbes } from './fields.ts'
import { fileProbes } from './files.ts'
import type { Probe } from './probe.ts'
import { recordProbes } from './records.ts'
import { relationProbes } from './relations.ts'
import { systemProbes } from './system.ts'

export const probes: Readonly<Record<string, readonly Probe[]>> = {
  'fields of a group': fieldProbes,
  'hidden records': recordProbes,
  'behind relations': relationProbes,
  commands: commandProbes,
  'files of records': fileProbes,
  'models about models': systemProbes,
}
