// The meaning of the fields that only providers in a cloud have.

export const PLATFORM_NOTES = {
  "providers.<name>.platform": {
    meaning:
      "The cloud that it is, for a second resource or region under a name of your own. `Azure`, `Bedrock` and `Vertex` have theirs.",
  },
  "providers.<name>.resource": {
    meaning: "Azure: the resource's name. Left out: the address is that in `AZURE_OPENAI_ENDPOINT`.",
  },
  "providers.<name>.api": {
    meaning:
      "Azure: `v1`, whose address has no version, or the version of the older API, in whose addresses each deployment stands. Left out: `v1`.",
  },
  "providers.<name>.entra": {
    meaning: "Azure: the application that the gateway is to Microsoft Entra, in place of keys.",
  },
  "providers.<name>.entra.tenant": { meaning: "The tenant's id or domain." },
  "providers.<name>.entra.client_id": { meaning: "The application's client id." },
  "providers.<name>.entra.client_secret": { meaning: "Its client secret." },
  "providers.<name>.entra.authority": {
    meaning: "The address that gives tokens. Left out: `https://login.microsoftonline.com`.",
  },
  "providers.<name>.entra.scope": {
    meaning: "The scope of the tokens. Left out: `https://cognitiveservices.azure.com/.default`.",
  },
  "providers.<name>.region": {
    meaning:
      "Bedrock: the AWS region, which the address and the signatures name. Left out: that in `base_url`, or else `AWS_REGION` or `AWS_DEFAULT_REGION`, or else `us-east-1`.",
  },
  "providers.<name>.aws": {
    meaning:
      "Bedrock: the keys of an AWS account or role, with which each call is signed, in place of keys. Left out, with `keys` left out too: the bearer key in `AWS_BEARER_TOKEN_BEDROCK`, or else the keys in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or else those of the container's role, from the agent in `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI`.",
  },
  "providers.<name>.aws.access_key_id": { meaning: "The id of the access key." },
  "providers.<name>.aws.secret_access_key": { meaning: "The secret of the access key." },
  "providers.<name>.aws.session_token": { meaning: "The token of temporary keys." },
  "providers.<name>.guardrail": {
    meaning: "Bedrock: a guardrail of the account, which reads each chat request and its answer.",
  },
  "providers.<name>.guardrail.id": { meaning: "Its id or ARN." },
  "providers.<name>.guardrail.version": { meaning: "The number of its version, in quotes, or `DRAFT`." },
  "providers.<name>.project": {
    meaning:
      "Vertex: the id of the project that pays. Left out: that in `GOOGLE_CLOUD_PROJECT`, or else the key file's.",
  },
  "providers.<name>.location": {
    meaning:
      "Vertex: the region, or `global`, `us` or `eu`. Left out: that in `GOOGLE_CLOUD_LOCATION`, or else `global`.",
  },
  "providers.<name>.service_account": {
    meaning:
      "Vertex: the text of a key file (of a service account, a user's login or a workload's own token), or `metadata` for the account of the machine in Google's cloud. Left out: the file that `GOOGLE_APPLICATION_CREDENTIALS` names.",
  },
  "providers.<name>.models[].deployment": {
    meaning:
      "Azure: the deployment's name. Bedrock: the id or ARN of an inference profile. Left out: as `name`.",
  },
};
