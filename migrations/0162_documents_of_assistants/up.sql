-- Documents that owners bring for their assistant, and the passages that it may cite of them.
CREATE TABLE knowledge_documents (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    title text NOT NULL,
    source text NOT NULL,
    bytes integer NOT NULL,
    passages integer NOT NULL,
    -- The member who brought it, or its present text; of operators NULL.
    changed_by uuid,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE TABLE knowledge_passages (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    -- Its place in the document, from 1.
    number integer NOT NULL,
    heading text NOT NULL,
    sentences text[] NOT NULL,
    PRIMARY KEY (workspace_id, document_id, number),
    FOREIGN KEY (workspace_id, document_id) REFERENCES knowledge_documents
);
