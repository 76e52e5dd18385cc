{{/* The pod, the same with both stores but for its volume. */}}
{{- define "poundkey.pod" -}}
metadata:
  annotations:
    checksum/config: {{ include "poundkey.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  labels:
    {{- include "poundkey.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "poundkey.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add (int .Values.preStopSeconds) (int .Values.drainSeconds) 10 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.extraInitContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: poundkey
      image: {{ include "poundkey.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve, --config, /etc/poundkey/poundkey.yaml]
      # Commands that kubectl runs in the container find the configuration there.
      workingDir: /etc/poundkey
      ports:
        - { name: http, containerPort: 8080, protocol: TCP }
      env:
        - name: POUNDKEY_STORE
          {{- if eq .Values.store.kind "sqlite" }}
          value: sqlite:/data/.poundkey/poundkey.db
          {{- else }}
          valueFrom: { secretKeyRef: { name: {{ .Values.store.postgres.existingSecret | quote }}, key: {{ .Values.store.postgres.key | quote }} } }
          {{- end }}
        {{- with .Values.masterKey }}
        {{- if .existingSecret }}
        - name: POUNDKEY_MASTER_KEY
          valueFrom: { secretKeyRef: { name: {{ .existingSecret | quote }}, key: {{ .key | quote }} } }
        {{- end }}
        {{- end }}
        {{- with .Values.adminToken }}
        {{- if .existingSecret }}
        - name: POUNDKEY_ADMIN_TOKEN
          valueFrom: { secretKeyRef: { name: {{ .existingSecret | quote }}, key: {{ .key | quote }} } }
        {{- end }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if or .Values.providerSecrets .Values.extraEnvFrom }}
      envFrom:
        {{- range .Values.providerSecrets }}
        - secretRef: { name: {{ . | quote }} }
        {{- end }}
        {{- with .Values.extraEnvFrom }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      # A start that waits for its store, or migrates it, is alive and not ready.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 150
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        preStop: { sleep: { seconds: {{ int .Values.preStopSeconds }} } }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: config, mountPath: /etc/poundkey, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        - { name: data, mountPath: /data }
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ include "poundkey.fullname" . }} }
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.store.kind "postgres" }}
    - name: data
      emptyDir: {}
    {{- else if .Values.store.sqlite.existingClaim }}
    - name: data
      persistentVolumeClaim: { claimName: {{ .Values.store.sqlite.existingClaim | quote }} }
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if .Values.topologySpreadConstraints }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "poundkey.selectorLabels" . | nindent 10 }}
    {{- end }}
{{- end }}
