// The phases of a run, in their order: short ones first.
import type { Phase } from '../phase.ts'
import { books } from './books.ts'
import { conversations } from './conversations.ts'
import { extensions } from './extensions.ts'
import { mix } from './mix.ts'
import { random } from './random.ts'
import { reports } from './reports.ts'
import { stories } from './stories.ts'
import { tills } from './tills.ts'
import { together } from './together.ts'

export const phases: readonly Phase[] = [
  reports,
  mix,
  extensions,
  tills,
  books,
  random,
  together,
  conversations,
  stories,
]
