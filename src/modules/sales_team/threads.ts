// Sales teams and their members have threads.
import { withThread } from '../mail/index.ts'

export const teamThreads = [withThread('crm.team'), withThread('crm.team.member')]
