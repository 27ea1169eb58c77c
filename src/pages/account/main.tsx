// The account page: API keys, password, second factor, sessions; for administrators the keys of all users.
import { useState } from 'preact/hooks'
import { start } from '../shared/start.tsx'
import './account.css'
import type { Facts } from './facts.ts'
import { KeySection } from './key-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProofContext } from './proof.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionSection } from './session-section.tsx'
import { StepUp } from './step-up.tsx'
import { WebhookSection } from './webhook-section.tsx'

start(function Account(facts: Facts) {
  const [factor, setFactor] = useState(facts.secondFactor)
  return (
    <ProofContext.Provider value={factor.enabled ? 'code' : 'password'}>
      <h1>Account security</h1>
      <p class="faint">
        {facts.name}, login <b>{facts.login}</b>, database <b>{facts.database}</b>
      </p>
      <KeySection facts={facts} everybody={false} />
      <PasswordSection login={facts.login} />
      <SecondFactorSection factor={factor} onFactor={setFactor} />
      <SessionSection />
      {facts.hasWebhooks ? <WebhookSection everybody={facts.isAdministrator} /> : null}
      {facts.isAdministrator ? <KeySection facts={facts} everybody /> : null}
      <StepUp />
    </ProofContext.Provider>
  )
})
