// All side channels, by subject.

import { commandDoors } from './commands.ts'
import type { Door } from './door.ts'
import { fieldDoors } from './fields.ts'
import { fileDoors } from './files.ts'
import { recordDoors } from './records.ts'
import { relationDoors } from './relations.ts'
import { systemDoors } from './system.ts'

export const doors: Readonly<Record<string, readonly Door[]>> = {
  'fields of a group': fieldDoors,
  'hidden records': recordDoors,
  'behind relations': relationDoors,
  commands: commandDoors,
  'files of records': fileDoors,
  'models about models': systemDoors,
}
