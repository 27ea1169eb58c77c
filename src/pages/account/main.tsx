// The page of one's own account: API keys, password, sessions; for administrators the keys of everybody.
import { start } from '../shared/start.tsx'
import './account.css'
import type { Facts } from './facts.ts'
import { KeySection } from './key-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionSection } from './session-section.tsx'
import { WebhookSection } from './webhook-section.tsx'

start((facts: Facts) => (
  <>
    <h1>Account security</h1>
    <p class="faint">
      {facts.name}, login <b>{facts.login}</b>, database <b>{facts.database}</b>
    </p>
    <KeySection facts={facts} everybody={false} />
    <PasswordSection login={facts.login} />
    <SessionSection />
    {facts.hasWebhooks ? <WebhookSection everybody={facts.isAdministrator} /> : null}
    {facts.isAdministrator ? <KeySection facts={facts} everybody /> : null}
  </>
))
