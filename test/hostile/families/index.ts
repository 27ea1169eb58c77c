// All attacks, by family.
import type { Attack } from '../attack.ts'
import { agents } from './agents.ts'
import { crowding } from './crowds.ts'
import { domains } from './domains.ts'
import { endpointAttacks } from './endpoints.ts'
import { files } from './files.ts'
import { forms } from './forms.ts'
import { heads } from './heads.ts'
import { hooks } from './hooks.ts'
import { later } from './later.ts'
import { logins } from './logins.ts'
import { odds } from './odds.ts'
import { packs } from './packs.ts'
import { pictures } from './pictures.ts'
import { pipes } from './pipes.ts'
import { places } from './places.ts'
import { prints } from './prints.ts'
import { reads } from './reads.ts'
import { restores } from './restores.ts'
import { shops } from './shops.ts'
import { siblings } from './siblings.ts'
import { texts } from './texts.ts'
import { wires } from './wires.ts'
import { writes } from './writes.ts'
import { xml } from './xml.ts'
import { zips } from './zips.ts'

export const attacks: readonly Attack[] = [
  ...wires,
  ...xml,
  ...forms,
  ...pipes,
  ...logins,
  ...domains,
  ...reads,
  ...writes,
  ...texts,
  ...files,
  ...places,
  ...restores,
  ...siblings,
  ...endpointAttacks,
  ...agents,
  ...shops,
  ...prints,
  ...hooks,
  ...later,
  ...crowding,
  ...pictures,
  ...heads,
  ...odds,
  ...packs,
  ...zips,
]
